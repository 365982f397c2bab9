// bench/peers/lttng_peer.cpp: LTTng-UST. bench/run.sh starts its session around this program.
#include <unistd.h>

#include "bench/peers/peer.h"
#include "bench/peers/tracer_loops.h"

int main(int count, char** words) {
  // The consumer daemon gets a moment to empty its sub-buffers, so that none is discarded.
  constexpr unsigned kBreathMicroseconds = 2000;
  return perseid::bench::run_peer(
      count, words,
      {{"LTTng-UST, session on", record_with_lttng, {}, [] { usleep(kBreathMicroseconds); }}});
}
