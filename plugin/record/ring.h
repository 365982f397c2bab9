// plugin/record/ring.h: one thread's records on their way to disk.
//
//   ring file    | RingHeader | data, `capacity` bytes |
//   in memory    | RingHeader | data                   | the same data again |
//
// Mapped twice, a record never wraps. Mapped shared, what was committed outlives the process.
// Positions only grow: they are offsets into an endless stream, so a position names the same
// record in the ring, in the spool, and after SIGKILL.
//
// The owner never runs past the end of the current block (a 64th of the ring) without the slow
// path, which notes where the next block's first record begins. These notes let the drainer cut
// a chunk at a record's boundary without walking, and let overwrite mode drop the oldest block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "capture/core_events.h"
#include "capture/format.h"
#include "plugin/record/clock.h"
#include "plugin/record/futex.h"
#include "plugin/session/own_directory.h"

namespace perseid {

enum class RingState : uint32_t {
  kAbsent,   // the slot holds no ring
  kMaking,   // being created
  kSpare,    // ready for the next thread
  kOwned,    // a thread writes into it
  kRetired,  // its thread has ended; what is left must be drained, or kept by a flight recorder
};

class Ring {
 public:
  // ---- the owning thread ----

  /// Room for `bytes` at the head, or nullptr if the slow path must look first.
  std::byte* reserve(size_t bytes) noexcept {
    if (head_ + bytes > limit_) [[unlikely]]
      return nullptr;
    return data_ + (head_ & (capacity_ - 1));
  }

  /// Publishes what was reserved. From here on the bytes survive the process.
  void commit(size_t bytes) noexcept {
    head_ += bytes;
    shared_->head.store(head_, std::memory_order_release);
  }

  /// The slow path of reserve: enters the next block. False if the ring is full.
  bool extend(size_t bytes) noexcept;

  /// Writes a record; room for it must have been reserved through extend().
  template <class... Words>
  void put(uint16_t kind, uint32_t arg, Words... words) noexcept {
    constexpr size_t kBytes = sizeof(RecordHeader) + 8 * sizeof...(words);
    write_record(data_ + (head_ & (capacity_ - 1)), kind, arg, words...);
    commit(kBytes);
  }

  void put_words(uint16_t kind, uint32_t arg, const uint64_t* words, size_t count) noexcept {
    std::byte* const at = data_ + (head_ & (capacity_ - 1));
    const RecordHeader header{read_ticks(), arg, kind, static_cast<uint8_t>(count), 0};
    std::memcpy(at, &header, sizeof header);
    std::memcpy(at + sizeof header, words, 8 * count);
    commit(sizeof header + 8 * count);
  }

  template <class... Words>
  static void write_record(std::byte* at, uint16_t kind, uint32_t arg, Words... words) noexcept {
    write_record_at(at, read_ticks(), kind, arg, words...);
  }
  template <class... Words>
  static void write_record_at(std::byte* at, uint64_t ticks, uint16_t kind, uint32_t arg,
                              Words... words) noexcept {
    static_assert(sizeof...(words) <= kMaxRecordWords);
    const RecordHeader header{ticks, arg, kind, uint8_t{sizeof...(words)}, 0};
    std::memcpy(at, &header, sizeof header);
    if constexpr (sizeof...(words) > 0) {
      const uint64_t payload[] = {static_cast<uint64_t>(words)...};
      std::memcpy(at + sizeof header, payload, sizeof payload);
    }
  }

  /// So full that the drainer is woken. Half leaves it the other half to come in, and makes it come
  /// seldom: a quarter costs 1 to 2 ns more of CPU per event (docs/user/overhead.md).
  bool is_worth_draining(uint64_t used) const noexcept { return used >= capacity_ / 2; }

  uint64_t used() const noexcept { return head_ - shared_->tail.load(std::memory_order_relaxed); }

  // ---- ranges open on the owning thread, and gaps in what was recorded of them ----

  uint32_t depth() const noexcept { return depth_.load(std::memory_order_relaxed); }
  void enter_range() noexcept { depth_.store(depth() + 1, std::memory_order_relaxed); }
  void leave_range() noexcept {
    depth_.store(depth() - 1, std::memory_order_relaxed);
    if (gap_depth_.load(std::memory_order_relaxed) > depth())
      gap_depth_.store(depth(), std::memory_order_relaxed);
  }

  bool has_gap() const noexcept { return has_gap_; }
  /// Something of this thread is not in the ring: a `lost` record will go before the next one.
  void open_gap(uint64_t lost_records) noexcept {
    if (has_gap_ && lost_records == 0) return;
    begin_or_widen_gap(lost_records);
  }
  /// Room for kGapBytes must have been reserved.
  void close_gap() noexcept;
  struct LossRecord {
    RecordHeader header;
    uint64_t lost;
    uint64_t first_ticks;
    uint64_t fewest_ranges;
  };
  static constexpr size_t kGapBytes = sizeof(LossRecord);
  /// Lost records that no `lost` record has counted yet. Any thread may call it.
  uint64_t unreported_loss() const noexcept {
    return shared_->lost.load(std::memory_order_relaxed) -
           reported_.load(std::memory_order_relaxed);
  }
  /// The record that the owner would write next if it had room and came back.
  LossRecord loss_record() const noexcept;

  uint64_t next_slice_id() noexcept { return uint64_t{info().stream} << 40 | ++slices_; }

  /// What the thread has shown itself to be: the first counts.
  void set_role(StreamRole role) noexcept {
    if (role_ == StreamRole::kPlain) [[unlikely]]
      store_role(role);
  }

  /// The thread works for a runtime, and how much CPU time it uses is of interest. The owner asks
  /// for it, the drainer stops it.
  void want_cpu_time(bool is_wanted) noexcept {
    is_cpu_time_wanted_.store(is_wanted, std::memory_order_relaxed);
  }
  bool is_cpu_time_wanted() const noexcept {
    return is_cpu_time_wanted_.load(std::memory_order_relaxed);
  }

  /// The program named its thread: that name stays, whatever pthread_setname_np sets.
  void set_name(uint32_t name, bool is_from_program) noexcept;

  /// Sleeps until `is_over`, asked whenever something was moved out, or until `timeout_ns` have
  /// passed.
  template <class Condition>
  void wait_for_drainer(int64_t timeout_ns, Condition is_over) noexcept {
    const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + timeout_ns;
    is_waiting_.store(true, std::memory_order_seq_cst);
    for (;;) {
      const uint32_t seen = moved_.load(std::memory_order_seq_cst);
      if (is_over() || read_clock_ns(CLOCK_MONOTONIC) > give_up_ns) break;
      futex_wait(moved_, seen, kMaxSleepNs);
    }
    is_waiting_.store(false, std::memory_order_relaxed);
  }

  // ---- the drainer, who alone moves bytes out ----

  struct Span {
    uint64_t from;
    uint64_t to;
  };
  /// Whole records not yet moved out, at most `max_bytes` (or one record).
  Span readable(uint64_t max_bytes) const noexcept;
  const std::byte* at(uint64_t position) const noexcept {
    return data_ + (position & (capacity_ - 1));
  }
  void release(uint64_t to) noexcept {
    shared_->tail.store(to, std::memory_order_release);
    wake_owner();
  }
  bool is_owner_waiting() const noexcept { return is_waiting_.load(std::memory_order_relaxed); }
  void wake_owner() noexcept {
    moved_.fetch_add(1, std::memory_order_seq_cst);
    if (is_waiting_.load(std::memory_order_seq_cst)) futex_wake(moved_, 1);
  }
  uint64_t tail() const noexcept { return shared_->tail.load(std::memory_order_acquire); }
  uint64_t head() const noexcept { return shared_->head.load(std::memory_order_acquire); }

  // ---- the pool ----

  /// Creates the file and maps it. 0 or an errno. Leaves no file on failure.
  int create(OwnDirectory& directory, const char* name, uint64_t capacity, uint64_t session,
             OnFull on_full) noexcept;
  /// Gives a drained ring to a new thread.
  void assign(const StreamInfo& info) noexcept;
  /// Forgets the records of a thread that has ended: the file then holds no stream.
  void give_up() noexcept;
  void unmap() noexcept;

  const StreamInfo& info() const noexcept { return shared_->info; }
  StreamInfo info_now() const noexcept;
  StreamRole role_now() const noexcept { return shared_->role.load(std::memory_order_relaxed); }
  uint64_t base() const noexcept { return shared_->base; }
  uint64_t capacity() const noexcept { return capacity_; }
  bool overwrites() const noexcept { return overwrites_; }
  bool is_named_by_program() const noexcept { return is_named_by_program_; }

  std::atomic<RingState> state{RingState::kAbsent};
  int64_t drained_ns = 0;      // the drainer's: when this ring was last emptied
  uint64_t cpu_ns = 0;         // the drainer's: what its thread had used when last looked at
  uint64_t retired_ticks = 0;  // when its thread ended
  bool is_in_capture = false;  // its file is in the capture, not in the ring directory

 private:
  static constexpr int64_t kMaxSleepNs = 100'000'000;  // should a wake ever be missed

  void begin_or_widen_gap(uint64_t lost_records) noexcept;
  void store_role(StreamRole role) noexcept {
    role_ = role;
    shared_->role.store(role, std::memory_order_relaxed);
  }
  /// The magic comes last and goes first: a header without it is in the making.
  void seal_header() noexcept;
  void set_magic(uint64_t magic) noexcept;

  uint64_t head_ = 0;      // owner's copy; reading shared_->head would be a miss
  uint64_t limit_ = 0;     // head_ may grow to here without the slow path
  uint64_t capacity_ = 0;  // a power of two
  std::byte* data_ = nullptr;
  RingHeader* shared_ = nullptr;
  uint64_t block_ = 0;
  uint64_t slices_ = 0;
  // Written by the owner alone; atomic because the drainer records losses that the owner could not.
  std::atomic<uint32_t> depth_{0};
  std::atomic<uint32_t> gap_depth_{0};  // the fewest open ranges since the gap began
  std::atomic<uint64_t> gap_ticks_{0};
  std::atomic<uint64_t> reported_{0};  // losses that are in `lost` records
  std::atomic<uint32_t> moved_{0};     // futex: grows when the drainer has moved records out
  std::atomic<bool> is_waiting_{false};
  std::atomic<bool> is_cpu_time_wanted_{false};
  StreamRole role_ = StreamRole::kPlain;  // owner's copy; the drainer writes next to the shared one
  bool has_gap_ = false;
  bool overwrites_ = false;
  bool is_named_by_program_ = false;
};

}  // namespace perseid
