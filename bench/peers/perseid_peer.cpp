// bench/peers/perseid_peer.cpp: Perseid itself, and the tracer one writes first.
#include "annotations/events.h"
#include "bench/bursts.h"
#include "bench/naive_tracer.h"
#include "bench/peers/peer.h"

namespace {

constexpr uint16_t kKind = perseid::annotations::kind(perseid::annotations::kInstant);
perseid::bench::NaiveTracer g_naive;

void record(size_t events) {
  for (size_t i = 0; i < events; ++i) perseid::emit(kKind, 1, i, i, i);
}

void record_naively(size_t events) {
  for (size_t i = 0; i < events; ++i) g_naive.record(kKind, i, i, i);
}

}  // namespace

int main(int count, char** words) {
  using namespace perseid::bench;
  return run_peer(
      count, words,
      {{"Perseid emit()", record, {}, let_drainer_catch_up},
       {"mutex, steady_clock and std::vector", record_naively, {}, [] { g_naive.forget(); }}});
}
