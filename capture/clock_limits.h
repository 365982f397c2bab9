// capture/clock_limits.h: which clock readings of a file can be true.
//
// A checksum proves that bytes are as written, not that they are true. Within these limits
// differences of two readings, and sums of three, stay far from where 64 bits overflow.
#pragma once

#include <cstdint>

#include "capture/format.h"

namespace perseid {

/// 73 years of uptime.
inline constexpr int64_t kMaxMonoNs = int64_t{1} << 61;
/// The year 2116.
inline constexpr int64_t kMaxRealNs = int64_t{1} << 62;
inline constexpr uint64_t kMaxTicks = uint64_t{1} << 62;

/// The checksum of the anchor is right, and its readings are possible.
bool is_sound(const ClockAnchor& anchor) noexcept;
bool is_sound(const ClockSync& sync) noexcept;

/// A reading of a device's clock, for arithmetic with others. Devices count from wherever they
/// like, but not for a century.
inline int64_t bounded_ns(uint64_t device_ns) noexcept {
  return static_cast<int64_t>(device_ns < kMaxTicks ? device_ns : kMaxTicks);
}

}  // namespace perseid
