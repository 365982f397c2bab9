// plugin/clock.cpp: see clock.h.
#include "plugin/clock.h"

#include <cstring>

#include "capture/checksum.h"
#include "plugin/descriptor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace perseid {

namespace {

bool tsc_is_invariant() noexcept {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kInvariantTsc = 1u << 8;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & kInvariantTsc);
#else
  return false;
#endif
}

/// The kernel watches the counters of all cores against each other and drops the clock source
/// when they disagree.
bool kernel_trusts_tsc() noexcept {
  char name[32];
  return read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
                         sizeof name) > 0 &&
         std::strcmp(name, "tsc\n") == 0;
}

}  // namespace

bool choose_clock(ClockChoice choice) noexcept {
  const bool is_usable = tsc_is_invariant();
  g_ticks_are_tsc = choice != ClockChoice::kMonotonic && is_usable &&
                    (choice == ClockChoice::kTsc || kernel_trusts_tsc());
  return choice != ClockChoice::kTsc || g_ticks_are_tsc;
}

ClockAnchor take_anchor() noexcept {
  constexpr int kReadings = 8;
  ClockAnchor best{};
  best.spread = UINT32_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const uint64_t before = read_ticks();
    const int64_t mono = read_clock_ns(CLOCK_MONOTONIC);
    const uint64_t after = read_ticks();
    const uint64_t spread = after - before;
    if (spread >= best.spread) continue;
    best.ticks = before + spread / 2;
    best.mono_ns = mono;
    best.spread = static_cast<uint32_t>(spread);
  }
  // CLOCK_REALTIME needs microseconds at best: one reading brought back to the anchor's moment.
  const int64_t mono_now = read_clock_ns(CLOCK_MONOTONIC);
  best.real_ns = read_clock_ns(CLOCK_REALTIME) - (mono_now - best.mono_ns);
  if (!g_ticks_are_tsc) {
    best.ticks = static_cast<uint64_t>(best.mono_ns);
    best.spread = 0;
  }
  best.checksum = checksum(&best, offsetof(ClockAnchor, checksum));
  return best;
}

}  // namespace perseid
