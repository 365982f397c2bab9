// plugin/session/state_file.h: the counters and clock anchors that survive any end.
#pragma once

#include <bit>
#include <type_traits>

#include "capture/format.h"
#include "plugin/record/mirrored_memory.h"
#include "plugin/session/own_directory.h"

namespace perseid {

/// Whatever changes here is in the file when the call returns; but see count().
class StateFile {
 public:
  /// False and errno if the file cannot be made.
  bool open(OwnDirectory& directory, uint64_t session, uint32_t pid) noexcept;

  void close() noexcept;

  const StateHeader& counters() const noexcept { return *header_; }

  /// From any thread, and from signal handlers.
  template <class T>
  void add(std::atomic<T> StateHeader::*counter, std::type_identity_t<T> amount) noexcept {
    (header_->*counter).fetch_add(amount);
    memory_.mirror(header_->*counter);
  }
  template <class T>
  void set(std::atomic<T> StateHeader::*fact, std::type_identity_t<T> value) noexcept {
    (header_->*fact).store(value);
    memory_.mirror(header_->*fact);
  }

  /// One more of what may happen at each event, where a system call has no place. The file has it
  /// at once the first time and at every power of two, and otherwise after mirror_counts(): after
  /// kill -9 a loss may be counted too low, but never as none.
  void count(std::atomic<uint64_t> StateHeader::*counter) noexcept {
    std::atomic<uint64_t>& total = header_->*counter;
    if (std::has_single_bit(total.fetch_add(1) + 1)) memory_.mirror(total);
  }
  /// By the drainer, every turn.
  void mirror_counts() noexcept;

  /// By the thread that calls MPI.
  void set_sync(uint32_t index, const ClockSync& sync) noexcept;

  void add(const ClockAnchor& anchor) noexcept;

  /// Takes an anchor if the last one is old enough, or always with `is_forced`. When the table
  /// is full every other anchor goes and the interval doubles: any run fits. One caller at a
  /// time: the starting thread, then the drainer.
  void anchor(bool is_forced) noexcept;

 private:
  MirroredMemory memory_;
  StateHeader* header_ = nullptr;
  ClockAnchor* anchors_ = nullptr;
  uint64_t mirrored_counts_ = 0;  // sum of what count() had added when the file last had it all
  int64_t interval_ns_ = 100'000'000;
  int64_t last_ns_ = 0;
};

}  // namespace perseid
