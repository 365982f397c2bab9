// plugin/record/ring_pool.h: all rings of the session: made ready ahead, reused when threads end.
//
// The drainer makes rings, because it alone opens files, and empties those that threads have left.
// A flight recorder writes nothing: there such a ring keeps its records until the memory is needed,
// and then the one that was left first is given to a new thread.
// Any thread takes a spare one without a lock: slots change hands by compare-and-swap of
// Ring::state. A thread that finds no spare wants one and waits for the drainer.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include "plugin/record/ring.h"
#include "plugin/session/own_directory.h"
#include "plugin/session/state_file.h"
#include "plugin/settings/settings.h"

namespace perseid {

struct RingPlan {
  OwnDirectory* directory;  // where ring files go first
  OwnDirectory* capture;    // where they go when there is no room; may be the same
  uint64_t session;
  uint64_t ring_bytes;
  uint64_t memory_bytes;
  OnFull on_full;
  StateFile* counters;  // where a flight recorder counts what it gives up
};

class RingPool {
 public:
  static constexpr uint32_t kMaxRings = 16384;

  /// False and errno if there is no memory even for the list of rings.
  bool open(const RingPlan& plan) noexcept;
  /// Gives the list back; only for a session that could not begin.
  void close() noexcept;

  // ---- any thread ----

  /// A spare ring in state kMaking for the caller to assign and set to kOwned, or null.
  Ring* take() noexcept;
  /// Takes back a ring that was not used.
  void put_back(Ring& ring) noexcept;

  /// No ring is there and none can be made: memory or disk are full. Asking again is cheap.
  bool is_exhausted() const noexcept {
    return is_exhausted_.load(std::memory_order_acquire) &&
           spares_.load(std::memory_order_relaxed) == 0 &&
           kept_.load(std::memory_order_relaxed) == 0;
  }
  /// Around waiting for a ring: the drainer makes as many as are wanted.
  void want() noexcept { wanted_.fetch_add(1, std::memory_order_seq_cst); }
  void want_no_more() noexcept { wanted_.fetch_sub(1, std::memory_order_relaxed); }
  /// Futex: grows with every ring that becomes spare.
  std::atomic<uint32_t> news{0};

  /// The calling thread ends and leaves its ring.
  void retire(Ring& ring) noexcept;
  /// The ring needs the drainer: it fills, or its thread has ended.
  void ask(const Ring& ring) noexcept;
  /// The ring has asked, and the drainer has not looked yet.
  bool is_asking(const Ring& ring) const noexcept;

  uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  Ring& ring(uint32_t index) noexcept { return rings_[index]; }
  uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  // ---- the drainer ----

  /// Makes rings until some are spare in addition to those that are wanted; at most a few per call.
  void top_up() noexcept;
  bool has_unmet_want() const noexcept {
    return wanted_.load(std::memory_order_seq_cst) > spares_.load(std::memory_order_relaxed) &&
           !is_exhausted_.load(std::memory_order_relaxed);
  }
  /// The session ends: who waits for a ring looks again.
  void wake_takers() noexcept;
  /// Calls `look` with each ring that asked, and forgets that it did.
  template <class Look>
  void for_each_asking(Look look) noexcept {
    const uint32_t words = (count() + 63) / 64;
    for (uint32_t i = 0; i < words; ++i) {
      if (asking_[i].load(std::memory_order_relaxed) == 0) continue;
      for (uint64_t bits = asking_[i].exchange(0, std::memory_order_acq_rel); bits;
           bits &= bits - 1)
        look(rings_[64 * i + static_cast<uint32_t>(__builtin_ctzll(bits))]);
    }
  }
  bool is_any_asking() const noexcept;

  /// Removes ring files. With `keep_unread`, those that still hold records stay.
  /// True if nothing is left and the directory is gone too.
  bool remove_files(bool keep_unread) noexcept;

 private:
  static constexpr uint32_t kSpares = 2;
  static constexpr uint32_t kMaxAtOnce = 64;
  /// Of so few, none is given up before a thread asks for it.
  static constexpr uint32_t kFewKept = 8;

  Ring* make() noexcept;
  Ring* give_up_oldest() noexcept;
  bool has_room_to_spare(uint64_t bytes) const noexcept;
  void report_no_memory() noexcept;
  int create(Ring& ring, uint32_t index, uint64_t bytes) noexcept;

  Ring* rings_ = nullptr;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint32_t> spares_{0};
  std::atomic<uint32_t> wanted_{0};
  std::atomic<uint32_t> kept_{0};  // retired rings of a flight recorder
  std::atomic<bool> is_exhausted_{false};
  std::atomic<uint64_t> bytes_{0};
  bool is_directory_full_ = false;
  bool has_reported_ = false;
  bool has_reported_no_memory_ = false;
  int64_t retry_ns_ = 0;  // no new ring before this time
  RingPlan plan_{};
  std::atomic<uint64_t> asking_[kMaxRings / 64]{};  // a bit for each ring
};

}  // namespace perseid
