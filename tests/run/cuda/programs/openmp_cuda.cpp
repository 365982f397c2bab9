// tests/run/cuda/programs/openmp_cuda.cpp: OpenMP tasks that launch kernels on the pretended CUDA.
#include <cstdio>

#include "tests/doubles/cuda/fake_cuda.h"

namespace {

void increment(void** arguments) { ++*static_cast<int*>(arguments[0]); }

}  // namespace

int main() {
  int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(value) depend(inout : value)
    {
      void* at = &value;
      cudaLaunchKernel(increment, "_Z9incrementPi", 1, 1, &at, 0, nullptr);
    }
  }
  std::printf("%d\n", value);
  return 0;
}
