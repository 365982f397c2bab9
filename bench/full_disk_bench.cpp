// bench/full_disk_bench.cpp: what an event costs that cannot be kept, because the disk is full.
//
// A limit on the size of files stands for the full disk. With on_full=flush a thread waits until
// its ring is written out; once that fails it must cost what on_full=drop costs. Both run side by
// side.
#include <fmt/format.h>
#include <sys/resource.h>

#include "annotations/events.h"
#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/statistics.h"
#include "bench/table.h"
#include "plugin/record/emit.h"
#include "plugin/session/session.h"

namespace perseid::bench {
namespace {

constexpr uint16_t kKind = annotations::kind(annotations::kInstant);
constexpr uint64_t kEvents = 500'000;

int measure_here() {
  const rlimit limit{1 << 20, 1 << 20};
  setrlimit(RLIMIT_FSIZE, &limit);
  for (uint64_t i = 0; i < kEvents; ++i) emit(kKind, 1, i, i);  // 16 times what the disk holds
  const double began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  for (uint64_t i = 0; i < kEvents; ++i) emit(kKind, 1, i, i);
  const double ns = (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began) / kEvents;
  fmt::print("{}\n", ns);
  return 0;
}

int run(const Options& options) {
  if (options.rest.size() == 1 && options.rest[0] == "--measure") return measure_here();
  if (options.shows_machine) print_machine();
  std::vector<double> flush, drop, ratios;
  for (int round = 0; round < (options.is_quick ? 5 : 15); ++round) {
    const auto cost = [&](const char* on_full) {
      const ScratchDirectory scratch(options.scratch);
      const Rows rows =
          run_child(own_program(), {"--measure"},
                    fmt::format("dir={},export=0,quiet=1,log={}/log,ring=64K,on_full={}",
                                scratch.path(), scratch.path(), on_full));
      return std::stod(rows.at(0).at(0));
    };
    flush.push_back(cost("flush"));
    drop.push_back(cost("drop"));
    ratios.push_back(flush.back() / drop.back());
  }
  Table table("CPU of the thread per event that is lost on a full disk",
              {"on_full=flush ns", "on_full=drop ns", "flush / drop"});
  table.add({fixed(median(flush), 1), fixed(median(drop), 1), fixed(median(ratios), 2)});
  table.print();
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("full_disk_bench", count, words, perseid::bench::run);
}
