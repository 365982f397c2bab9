// spins.cpp: a parallel region that computes for SECONDS and records next to nothing.
//
//   spins SECONDS
#include <chrono>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = std::chrono::seconds(argc > 1 ? std::atol(argv[1]) : 1);
  const auto end = Clock::now() + seconds;
#pragma omp parallel
  while (Clock::now() < end) {
  }
  std::puts("done");
}
