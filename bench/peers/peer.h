// bench/peers/peer.h: one tracer's recording call against a clock read, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "bench/harness.h"

namespace perseid::bench {

/// Events of a burst. Each carries three integers.
inline constexpr size_t kPeerBurst = 5000;

/// Measures `tracers` in the number of rounds that the command line gives and prints a row each.
int run_peer(int count, char** words, const std::vector<Case>& tracers);

}  // namespace perseid::bench
