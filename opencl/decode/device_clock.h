// opencl/decode/device_clock.h: a device's clock against ours.
//
// OpenCL lets a device count nanoseconds from wherever it likes. But a command is queued inside the
// call that queues it, so every command bounds how far the clocks are apart:
//
//   call begins <= queued + offset <= call ends
//
// The bounds of many commands together leave less than the shortest call. When clocks drift, old
// bounds contradict new ones, and then the new ones count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "capture/clock_limits.h"

namespace perseid::opencl {

class DeviceClock {
 public:
  void add_bounds(int64_t call_begin_ns, int64_t call_end_ns, uint64_t queued) {
    const int64_t least = call_begin_ns - bounded_ns(queued);
    const int64_t most = std::max(least, call_end_ns - bounded_ns(queued));
    if (!is_known_ || least > most_ || most < least_) {
      least_ = least;
      most_ = most;
      is_known_ = true;
      return;
    }
    least_ = std::max(least_, least);
    most_ = std::min(most_, most);
  }
  int64_t to_ns(uint64_t device) const noexcept {
    return std::min(bounded_ns(device) + least_ + (most_ - least_) / 2, kMaxMonoNs);
  }
  /// At most so far from the truth, as of now.
  int64_t error_ns() const noexcept { return (most_ - least_ + 1) / 2; }

 private:
  bool is_known_ = false;
  int64_t least_ = 0;
  int64_t most_ = 0;
};

}  // namespace perseid::opencl
