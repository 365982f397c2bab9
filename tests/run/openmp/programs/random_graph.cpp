// tests/run/openmp/programs/random_graph.cpp: tasks with random dependences. Prints, for each
// task, its accesses.
#include <cstdio>
#include <cstdlib>
#include <random>

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? std::atoi(argv[1]) : 100;
  constexpr int kVariables = 20;
  static char variables[kVariables];
  std::mt19937 random(42);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
    char* a = variables + random() % kVariables;
    char* b = variables + random() % kVariables;
    const unsigned kind = random() % 4;
    std::printf("task %d %u %d %d\n", i, kind, static_cast<int>(a - variables),
                static_cast<int>(b - variables));
    if (kind == 0) {
#pragma omp task depend(in : *a) depend(in : *b)
      ;
    } else if (kind == 1) {
#pragma omp task depend(in : *a) depend(out : *b)
      ;
    } else if (kind == 2) {
#pragma omp task depend(inout : *a) depend(inout : *b)
      ;
    } else {
#pragma omp task depend(mutexinoutset : *a) depend(in : *b)
      ;
    }
  }
}
