// plugin/record/clock.cpp: choice of the clock, and anchors between ticks and CLOCK_MONOTONIC.
#include "plugin/record/clock.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "capture/checksum.h"
#include "plugin/session/descriptor.h"

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

void set_test_clock(uint32_t rank) noexcept {
  const char* const wanted = secure_getenv("PERSEID_TEST_CLOCK");
  if (!wanted) return;
  const char* const end = wanted + std::strlen(wanted);
  int64_t ns = 0, ppm = 0;
  const auto first = std::from_chars(wanted, end, ns);
  if (first.ptr == end || *first.ptr != '/') return;
  std::from_chars(first.ptr + 1, end, ppm);
  g_test_clock = {ns * rank, ppm * rank, rank + 1};
}

uint64_t machine_id() noexcept {
  char boot[64];
  const long length = read_small_file("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
  if (length <= 0) return 0;
  char space[64] = "";
  const ssize_t named = readlink("/proc/self/ns/time", space, sizeof space);
  const uint64_t low = checksum(boot, static_cast<size_t>(length));
  const uint64_t high = checksum(space, named > 0 ? static_cast<size_t>(named) : 0);
  return (high << 32 | low) + g_test_clock.machine;
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
  // CLOCK_REALTIME needs microseconds at best: one reading moved back to the time of the anchor.
  const int64_t mono_now = read_clock_ns(CLOCK_MONOTONIC);
  best.real_ns = read_clock_ns(CLOCK_REALTIME) - (mono_now - best.mono_ns);
  if (!g_ticks_are_tsc) {
    best.ticks = static_cast<uint64_t>(best.mono_ns);
    best.spread = 0;
  }
  best.mono_ns = shown_mono_ns(best.mono_ns);
  best.checksum = checksum(&best, offsetof(ClockAnchor, checksum));
  return best;
}

}  // namespace perseid
