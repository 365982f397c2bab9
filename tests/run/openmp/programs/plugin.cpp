// tests/run/openmp/programs/plugin.cpp: a library with OpenMP code, opened late by a program that
// has none.
#include <atomic>

extern "C" int plugin_tasks() {
  std::atomic<int> done{0};
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)  // at: plugin_task
    ++done;
  }
  return done.load();
}
