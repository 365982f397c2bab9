// bench/peers/peers_bench.cpp: Perseid next to other tracers with the same payload.
//
// The peers are programs of their own, next to this one and named peer_*. Each measures itself
// against a clock read in the same process; here they take turns in random order, several times,
// and the medians of their ratios are what is compared.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <stdexcept>

#include "bench/child.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/table.h"

namespace perseid::bench {
namespace {

std::vector<std::string> find_peers(const std::vector<std::string>& left_out) {
  std::vector<std::string> peers;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(own_program()).parent_path())) {
    const std::string name = entry.path().filename();
    if (name.starts_with("peer_") && std::ranges::find(left_out, name) == left_out.end())
      peers.push_back(entry.path());
  }
  return peers;
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  const ScratchDirectory scratch(options.scratch);
  const std::string settings = fmt::format("dir={},export=0,quiet=1", scratch.path());
  std::vector<std::string> peers = find_peers(options.rest);
  const size_t turns = options.is_quick ? 3 : 9;
  const std::string rounds = options.is_quick ? "40" : "100";
  std::mt19937 generator{std::random_device{}()};
  Collected collected;
  for (size_t turn = 0; turn < turns; ++turn) {
    std::ranges::shuffle(peers, generator);
    for (const std::string& peer : peers) collected.add(run_child(peer, {rounds}, settings));
  }
  std::vector<Measurement> results = collected.medians();
  std::ranges::sort(results, {}, &Measurement::ratio);
  const auto ours = std::ranges::find(results, "Perseid emit()", &Measurement::name);
  if (ours == results.end()) throw std::runtime_error("peer_perseid is missing");
  Table table("Other tracers, an event of three integers, thread CPU time of the caller",
              {"tracer", "ns", "x clock read", "x Perseid"});
  for (const Measurement& m : results)
    table.add({m.name, fixed(m.ns, 1), fixed(m.ratio, 2), fixed(m.ratio / ours->ratio, 1)});
  table.print();
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("peers_bench", count, words, perseid::bench::report);
}
