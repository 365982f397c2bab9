// bench/harness.h: measures cases against each other on a machine that others use too.
//
// All cases run in one process, in rounds, in a new random order each round, so that a slow
// moment of the machine hits them alike. A sample is the CPU time of the measuring thread, not
// the wall clock. What counts is the median over the rounds of a case's time divided by the
// first case's time in the same round.
#pragma once

#include <cstddef>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace perseid::bench {

/// CLOCK_THREAD_CPUTIME_ID or CLOCK_PROCESS_CPUTIME_ID in nanoseconds.
double cpu_ns(clockid_t clock) noexcept;

/// The compiler must have `value`, and cannot know what becomes of it.
template <class T>
inline void keep(const T& value) noexcept {
  asm volatile("" : : "r,m"(value) : "memory");
}

struct Case {
  std::string name;
  /// The work to be measured, `operations` times.
  std::function<void(size_t operations)> run;
  /// Before and after each burst, on every measuring thread, outside the measured time.
  std::function<void()> before = {};
  std::function<void()> after = {};
  /// Cases far cheaper than the others take longer bursts, or reading the clock would count.
  size_t burst_factor = 1;
};

struct Measurement {
  std::string name;
  double ns;     // per operation, median over the rounds
  double ratio;  // to the first case, median over the rounds
};

/// The first case is the baseline. Each of `threads` threads runs every case in every round, all
/// at the same time.
std::vector<Measurement> measure(const std::vector<Case>& cases, size_t threads, size_t rounds,
                                 size_t operations);

}  // namespace perseid::bench
