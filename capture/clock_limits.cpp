// capture/clock_limits.cpp: bounds on ticks, rates and offsets.
#include "capture/clock_limits.h"

#include <cstddef>

#include "capture/checksum.h"

namespace perseid {
namespace {

bool is_within(int64_t value, int64_t least, int64_t most) noexcept {
  return value >= least && value <= most;
}

}  // namespace

bool is_sound(const ClockAnchor& anchor) noexcept {
  return anchor.checksum == checksum(&anchor, offsetof(ClockAnchor, checksum)) &&
         anchor.ticks <= kMaxTicks && is_within(anchor.mono_ns, 0, kMaxMonoNs) &&
         is_within(anchor.real_ns, 0, kMaxRealNs);
}

bool is_sound(const ClockSync& sync) noexcept {
  return sync.checksum == checksum(&sync, offsetof(ClockSync, checksum)) &&
         is_within(sync.mono_ns, 1, kMaxMonoNs) &&
         is_within(sync.offset_ns, -kMaxMonoNs, kMaxMonoNs) &&
         is_within(sync.error_ns, 0, kMaxMonoNs);
}

}  // namespace perseid
