// thread_private.cpp: KILOBYTES of threadprivate data, as benchmarks of random numbers have them.
#include <cstdio>

static volatile char own[KILOBYTES * 1000];
#pragma omp threadprivate(own)

int main() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    own[KILOBYTES * 500] = 1;
    sum += own[KILOBYTES * 500] + own[0];
  }
  std::printf("%d\n", sum);
  return sum == 2 ? 0 : 1;
}
