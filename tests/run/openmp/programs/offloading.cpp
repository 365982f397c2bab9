// offloading.cpp: target regions, data and updates, on a device that is this machine's own CPU.
#include <omp.h>

#include <cstdio>

constexpr int kNumbers = 1000;
int numbers[kNumbers];

void target_regions(int* is_host) {
  for (int round = 0; round < 3; ++round) {
#pragma omp target map(tofrom : numbers) map(from : is_host [0:1])  // at: region
    {
      is_host[0] = omp_is_initial_device();
      for (int i = 0; i < kNumbers; ++i) numbers[i] += i;
    }
  }
}

void target_data() {
#pragma omp target data map(tofrom : numbers)  // at: data
  {
#pragma omp target update from(numbers)  // at: update
#pragma omp target
    for (int i = 0; i < kNumbers; ++i) numbers[i] += 1;
  }
}

void unstructured_data() {
#pragma omp target enter data map(to : numbers)      // at: enter
#pragma omp target exit data map(release : numbers)  // at: exit
}

int main() {
  int is_host[1] = {1};
  target_regions(is_host);
  target_data();
  unstructured_data();
  long sum = 0;
  for (const int number : numbers) sum += number;
  std::printf("sum %ld, on the device %s\n", sum, is_host[0] ? "no" : "yes");
}
