// bench/peers/peer.cpp: measures a clock read and each recording call in one process.
#include "bench/peers/peer.h"

#include <cstdlib>

#include "bench/child.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace perseid::bench {

namespace {

void read_clock(size_t operations) noexcept {
  for (size_t i = 0; i < operations; ++i) {
#if defined(__x86_64__)
    keep(__rdtsc());
#else
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    keep(now.tv_nsec);
#endif
  }
}

}  // namespace

int run_peer(int count, char** words, const std::vector<Case>& tracers) {
  const size_t rounds = count > 1 ? std::strtoul(words[1], nullptr, 10) : 20;
  std::vector<Case> cases{{"clock read", read_clock}};
  cases.insert(cases.end(), tracers.begin(), tracers.end());
  std::vector<Measurement> results = measure(cases, 1, rounds, kPeerBurst);
  results.erase(results.begin());
  print_rows(results);
  return 0;
}

}  // namespace perseid::bench
