// bench/peers/fxt_peer.cpp: FxT, which StarPU's own traces are made with.
#define CONFIG_FUT 1
#include <fut.h>

#include "bench/peers/peer.h"
#include "bench/peers/tracer_loops.h"

namespace {

constexpr uint64_t kBufferWords = 4 * 1024 * 1024;
constexpr unsigned kEverything = 0xffffffff;

}  // namespace

int main(int count, char** words) {
  if (fut_setup(kBufferWords, kEverything, 0) < 0) return 1;
  const int status = perseid::bench::run_peer(
      count, words, {{"FxT", record_with_fxt, {}, [] { fut_reset(kEverything, 0); }}});
  fut_done();
  return status;
}
