// bench/writer_bench.cpp: from a capture to a Perfetto JSON file: speed and peak memory.
//
// Each export runs in a process of its own, whose CPU time and peak resident memory are its
// whole cost: reading, merging, decoding, writing into /dev/shm.
#include <fmt/format.h>

#include "bench/child.h"
#include "bench/export_cost.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/synthetic_capture.h"
#include "bench/table.h"

namespace perseid::bench {
namespace {

struct Work {
  const char* name;
  Shape shape;
  uint64_t threads;
  uint64_t slices;
};

ExportCost cost_of(const Options& options, const Work& work, size_t runs) {
  const ScratchDirectory scratch(options.scratch);
  const Rows made =
      run_child(own_program(),
                {"--record", std::to_string(work.slices), std::to_string(work.threads),
                 work.shape == Shape::kPlain ? "plain" : "rich"},
                fmt::format("dir={},export=0,quiet=1", scratch.path()));
  const ScratchDirectory memory("/dev/shm");
  return median_cost(made.at(0).at(0), memory.path(), "json", runs);
}

void report_speed(const Options& options) {
  const uint64_t scale = options.is_quick ? 1 : 4;
  const Work works[] = {{"plain", Shape::kPlain, 2, 1'000'000 * scale},
                        {"plain", Shape::kPlain, 16, 1'000'000 * scale},
                        {"4 arguments, 1 arrow", Shape::kRich, 2, 500'000 * scale},
                        {"4 arguments, 1 arrow", Shape::kRich, 16, 500'000 * scale}};
  Table table("Export to JSON: CPU of the whole export, merge included",
              {"slices", "threads", "million", "user ns/slice", "kernel ns/slice",
               "million slices/s/core", "bytes/slice"});
  for (const Work& work : works) {
    const ExportCost cost = cost_of(options, work, options.is_quick ? 3 : 5);
    table.add({work.name, std::to_string(work.threads), fixed(cost.slices / 1e6, 1),
               fixed(cost.user_s * 1e9 / cost.slices, 0),
               fixed(cost.system_s * 1e9 / cost.slices, 0),
               fixed(cost.slices / (cost.user_s + cost.system_s) / 1e6, 2),
               fixed(cost.bytes / cost.slices, 0)});
  }
  table.print();
}

void report_memory(const Options& options) {
  Table table("Peak memory of an export, plain slices on 16 threads",
              {"million events", "million slices", "JSON MB", "peak resident MiB"});
  std::vector<uint64_t> millions{1, 10};
  if (!options.is_quick) millions.push_back(50);
  for (const uint64_t million : millions) {
    const Work work{"", Shape::kPlain, 16, million * 500'000};
    const ExportCost cost = cost_of(options, work, 1);
    table.add({fixed(cost.records / 1e6, 1), fixed(cost.slices / 1e6, 1),
               fixed(cost.bytes / 1e6, 0), fixed(cost.peak_mib, 1)});
  }
  table.print();
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  report_speed(options);
  report_memory(options);
  return 0;
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 4 && rest[0] == "--record") {
    const Shape shape = rest[3] == "rich" ? Shape::kRich : Shape::kPlain;
    fmt::print("{}\n", record_slices(std::stoul(rest[1]), std::stoul(rest[2]), shape));
    return 0;
  }
  if (rest.size() == 3 && rest[0] == "--export") return export_here(rest[1], rest[2]);
  return report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("writer_bench", count, words, perseid::bench::run);
}
