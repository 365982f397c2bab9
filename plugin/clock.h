// plugin/clock.h: the price of a record is one reading of this clock.
//
// The time stamp counter where the CPU keeps it invariant and the kernel itself trusts it, else
// CLOCK_MONOTONIC. Ticks become nanoseconds only after the run, through the anchors.
#pragma once

#include <ctime>

#include "capture/format.h"
#include "plugin/settings.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace perseid {

inline constinit bool g_ticks_are_tsc = false;

inline int64_t read_clock_ns(clockid_t clock) noexcept {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  if (g_ticks_are_tsc) [[likely]]
    return __rdtsc();
#endif
  return static_cast<uint64_t>(read_clock_ns(CLOCK_MONOTONIC));
}

/// Decides g_ticks_are_tsc. False if kTsc was asked for and cannot be had.
bool choose_clock(ClockChoice choice) noexcept;

/// The tightest of a few readings of all clocks around each other.
ClockAnchor take_anchor() noexcept;

}  // namespace perseid
