// tests/run/openmp/programs/scope.cpp: a scope construct, which clang 14 does not know.
#include <cstdio>

int main() {
  long sum = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp scope reduction(+ : sum)  // at: scope
    sum += 2;
  }
  std::printf("sum %ld\n", sum);
}
