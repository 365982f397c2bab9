// sets_switch.cpp VALUE: turns tracing on itself before its first region. The region is in a
// function of its own: compilers let a function with a region call the runtime when it begins.
#include <cstdio>
#include <cstdlib>

[[gnu::noinline]] static int run_region() {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  return sum;
}

int main(int count, char** words) {
  if (count > 1) setenv("PERSEID", words[1], 1);
  const int sum = run_region();
  std::printf("%d\n", sum);
  return sum == 2 ? 0 : 1;
}
