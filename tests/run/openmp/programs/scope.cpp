// tests/run/openmp/programs/scope.cpp: a scope construct, which clang 14 does not know.
#include <cstdio>

int main() {
  long sum = 0, after = 0;
#pragma omp parallel num_threads(3) reduction(+ : after)
  {
#pragma omp scope reduction(+ : sum)  // at: scope
    sum += 2;
    // Without more to do, gcc would leave the barrier to the end of the region.
    after += sum;
  }
  std::printf("sum %ld %ld\n", sum, after);
}
