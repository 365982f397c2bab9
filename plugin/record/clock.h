// plugin/record/clock.h: the price of a record is one reading of this clock.
//
// The time stamp counter where the CPU keeps it invariant and the kernel itself trusts it, else
// CLOCK_MONOTONIC. Ticks become nanoseconds only after the run, through the anchors.
#pragma once

#include <ctime>

#include "capture/format.h"
#include "plugin/settings/settings.h"

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

/// Where g_ticks_are_tsc is true.
inline uint64_t read_tsc() noexcept {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return 0;
#endif
}

inline uint64_t read_ticks() noexcept {
  if (g_ticks_are_tsc) [[likely]]
    return read_tsc();
  return static_cast<uint64_t>(read_clock_ns(CLOCK_MONOTONIC));
}

/// A clock that is wrong on purpose, so that a test on one machine sees clocks disagree.
struct TestClock {
  int64_t offset_ns = 0;
  int64_t ppm = 0;
  uint64_t machine = 0;
};
inline constinit TestClock g_test_clock{};

/// CLOCK_MONOTONIC as this process shows it to others.
inline int64_t shown_mono_ns(int64_t mono_ns) noexcept {
  return mono_ns + g_test_clock.offset_ns + mono_ns / 1'000'000 * g_test_clock.ppm;
}

/// Of a rank, as PERSEID_TEST_CLOCK=NS/PPM asks for: off by rank times NS, and rank times PPM too
/// fast. Tests set it.
void set_test_clock(uint32_t rank) noexcept;

/// An id that is equal for all processes that share one CLOCK_MONOTONIC: one boot of one machine,
/// one time namespace. 0 if unknown.
uint64_t machine_id() noexcept;

/// Decides g_ticks_are_tsc. False if kTsc was asked for and cannot be had.
bool choose_clock(ClockChoice choice) noexcept;

/// The tightest of a few readings of all clocks around each other.
ClockAnchor take_anchor() noexcept;

}  // namespace perseid
