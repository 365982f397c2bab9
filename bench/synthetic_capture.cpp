// bench/synthetic_capture.cpp: threads that emit slices with or without arguments and arrows.
#include "bench/synthetic_capture.h"

#include <sched.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "include/perseid.h"
#include "plugin/session/session.h"

namespace perseid::bench {

namespace {

constexpr std::array<const char*, 8> kNames{"potrf",    "trsm",   "syrk",  "gemm",
                                            "assemble", "reduce", "solve", "exchange"};
/// More threads than CPUs would otherwise run for milliseconds each, and the merge with them.
constexpr uint64_t kSlicesPerTurn = 8;

void record_plain(uint64_t i) {
  perseid_begin(kNames[i % kNames.size()]);
  perseid_end();
}

void record_rich(uint64_t thread, uint64_t i) {
  const uint64_t arrow = thread << 40 | (i + 1);
  const Range range(kNames[i % kNames.size()],
                    {{"row", i % 97}, {"column", i % 89}, {"bytes", i * 8}, {"norm", 0.25}});
  if (i > 0) perseid_flow_in(arrow - 1);
  perseid_flow_out(arrow);
}

void record_share(uint64_t thread, uint64_t slices, Shape shape) {
  for (uint64_t i = 0; i < slices; ++i) {
    if (shape == Shape::kPlain)
      record_plain(i);
    else
      record_rich(thread, i);
    if (i % kSlicesPerTurn == 0) sched_yield();
  }
}

}  // namespace

std::string record_slices(uint64_t slices, uint64_t threads, Shape shape) {
  if (!perseid_is_here()) throw std::runtime_error("nothing is recorded: PERSEID is not set");
  std::vector<std::jthread> workers;
  for (uint64_t thread = 1; thread <= threads; ++thread)
    workers.emplace_back(record_share, thread, slices / threads, shape);
  workers.clear();
  end_session(0);
  return session().capture;
}

}  // namespace perseid::bench
