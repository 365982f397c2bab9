// bench/openmp/tasks.cpp: programs of nothing but OpenMP tasks: tasks KIND SIZE, size 0 for the
// start-up alone. Prints how many tasks it has created.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

long flat(long size) {
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < size; ++i) {
#pragma omp task
    ;
  }
  return size;
}

long fib(long n, long& tasks) {
  if (n < 2) return n;
  long a = 0, b = 0, tasks_a = 0, tasks_b = 0;
#pragma omp task shared(a, tasks_a)
  a = fib(n - 1, tasks_a);
#pragma omp task shared(b, tasks_b)
  b = fib(n - 2, tasks_b);
#pragma omp taskwait
  tasks += tasks_a + tasks_b + 2;
  return a + b;
}

long recursive(long size) {
  long tasks = 0, result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(size, tasks);
  return result < 0 ? 0 : tasks;
}

long taskloop(long size) {
  std::vector<char> touched(static_cast<size_t>(size));
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (long i = 0; i < size; ++i) touched[static_cast<size_t>(i)] = 1;
  long tasks = 0;
  for (const char one : touched) tasks += one;
  return tasks;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tasks flat|fib|taskloop SIZE\n");
    return 2;
  }
  const char* const kind = argv[1];
  const long size = std::atol(argv[2]);
  const long tasks = std::strcmp(kind, "flat") == 0       ? flat(size)
                     : std::strcmp(kind, "fib") == 0      ? recursive(size)
                     : std::strcmp(kind, "taskloop") == 0 ? taskloop(size)
                                                          : -1;
  std::printf("%ld tasks\n", tasks);
  return tasks < 0 ? 1 : 0;
}
