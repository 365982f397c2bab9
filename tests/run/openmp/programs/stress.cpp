// tests/run/openmp/programs/stress.cpp: a million tiny tasks, deep recursion, more threads than
// cores.
#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> g_count{0};

void tiny_tasks(long count) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < count; ++i) {
#pragma omp task
    g_count.fetch_add(1, std::memory_order_relaxed);
  }
}

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

void nested(int depth) {
  if (depth == 0) {
    g_count.fetch_add(1);
    return;
  }
#pragma omp parallel num_threads(3)
  nested(depth - 1);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "tiny";
  const long size = argc > 2 ? std::atol(argv[2]) : 1000;
  omp_set_max_active_levels(3);
  if (std::strcmp(what, "tiny") == 0) tiny_tasks(size);
  if (std::strcmp(what, "nested") == 0) {
    for (long i = 0; i < size; ++i) nested(3);
  }
  if (std::strcmp(what, "fib") == 0) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = fib(static_cast<int>(size));
    g_count = result;
  }
  std::printf("%ld\n", g_count.load());
}
