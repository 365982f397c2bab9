// tests/run/report/planted_openmp.cpp: programs of OpenMP with one fault each, for two threads. The
// first argument names the fault. Where a program can measure itself what the fault cost, it prints
// the milliseconds: on a busy machine they are more than what was planted.
#include <omp.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "busy.h"

namespace {

constexpr int kRounds = 20;

// Both threads have the same work.
void nothing() {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < kRounds; ++i) {
    busy(20);
#pragma omp barrier
  }
}

// One thread has 18 ms more than the other before each barrier.
void imbalance() {
  std::array<std::array<double, 2>, kRounds> arrivals{};
#pragma omp parallel num_threads(2)
  for (std::array<double, 2>& arrival : arrivals) {
    const bool is_first = omp_get_thread_num() == 0;
    busy(is_first ? 2 : 20);
    arrival[is_first ? 0 : 1] = now_ms();
#pragma omp barrier
  }
  double waited = 0;
  for (const auto& [first, second] : arrivals) waited += std::fabs(first - second);
  std::printf("%.3f\n", waited);
}

// All work needs the same lock. Locks need not be fair: both threads want it until all is done.
void lock() {
  int left = 4 * kRounds;
  double waited = 0;
#pragma omp parallel num_threads(2)
  for (bool is_done = false; !is_done;) {
    const double begin = now_ms();
#pragma omp critical
    {
      waited += now_ms() - begin;
      is_done = left == 0;
      if (!is_done) {
        --left;
        busy(3);
      }
    }
  }
  std::printf("%.3f\n", waited);
}

// Most is done between the regions.
void serial() {
  double between = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double begin = now_ms();
    busy(18);
    if (i > 0) between += now_ms() - begin;
#pragma omp parallel num_threads(2)
    busy(2);
  }
  std::printf("%.3f\n", between);
}

// One thread needs far longer to create a task than another to execute it.
void creation() {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 12; ++i) {
    busy(30);
#pragma omp task
    busy(1);
  }
}

// Each task needs the one before.
void dependencies() {
  [[maybe_unused]] int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < kRounds; ++i) {
#pragma omp task depend(inout : value)
    busy(10);
  }
}

constexpr struct {
  const char* name;
  void (*run)();
} kPrograms[] = {{"nothing", nothing}, {"imbalance", imbalance}, {"lock", lock},
                 {"serial", serial},   {"creation", creation},   {"dependencies", dependencies}};

}  // namespace

int main(int count, char** words) {
  for (const auto& program : kPrograms) {
    if (count != 2 || std::strcmp(words[1], program.name) != 0) continue;
    program.run();
    return 0;
  }
  return 1;
}
