// plugin/ring_pool.h: all rings of the session: made ready ahead, reused when threads end.
//
// Any thread may take a ring at any time without a lock: slots change hands by compare-and-swap
// of Ring::state. The drainer makes spares and recycles retired rings; a thread that finds no
// spare empties a retired ring itself or makes its own, within the memory cap.
#pragma once

#include <climits>
#include <cstdint>

#include "plugin/ring.h"
#include "plugin/settings.h"

namespace perseid {

struct RingPlan {
  char directory[PATH_MAX];  // where ring files go first
  char capture[PATH_MAX];    // where they go when there is no room
  uint64_t session;
  uint64_t ring_bytes;
  uint64_t memory_bytes;
  OnFull on_full;
};

class RingPool {
 public:
  static constexpr uint32_t kMaxRings = 16384;

  /// False and errno if there is no memory even for the list of rings.
  bool open(const RingPlan& plan) noexcept;
  /// Gives the list back; only for a session that could not begin.
  void close() noexcept;

  /// A ring in state kMaking for the caller to assign and set to kOwned; null if the memory cap
  /// is reached and every ring has an owner. `drain` empties a retired ring for reuse.
  Ring* take(bool (*drain)(Ring&) noexcept) noexcept;

  /// Makes one more spare if fewer than kSpares are ready. The drainer calls it.
  void top_up() noexcept;

  uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  Ring& ring(uint32_t index) noexcept { return rings_[index]; }
  uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

  /// Removes a ring that a thread took when the session was already over.
  void discard(Ring& ring) noexcept;

  /// Removes ring files. With `keep_unread`, those that still hold records stay.
  /// True if nothing is left and the directory is gone too.
  bool remove_files(bool keep_unread) noexcept;

 private:
  static constexpr uint32_t kSpares = 2;

  Ring* make() noexcept;
  void report_no_memory() noexcept;
  int create(Ring& ring, uint32_t index, uint64_t bytes) noexcept;

  Ring* rings_ = nullptr;
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<bool> is_directory_full_{false};
  std::atomic<bool> has_complained_{false};
  std::atomic<bool> has_reported_no_memory_{false};
  std::atomic<int64_t> retry_ns_{0};  // no new ring before this moment
  RingPlan plan_{};
};

/// DIRECTORY/INDEX.ring
void ring_path(char (&path)[PATH_MAX], const char* directory, uint32_t index) noexcept;

}  // namespace perseid
