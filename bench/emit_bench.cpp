// bench/emit_bench.cpp: what one event costs the thread that records it.
//
// The cases run in children that record for real: this program contains the recording half, and
// PERSEID in a child's environment starts it as in any other program.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "annotations/events.h"
#include "bench/bursts.h"
#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/naive_tracer.h"
#include "bench/options.h"
#include "bench/table.h"
#include "include/perseid.h"
#include "plugin/session/connect.h"

namespace perseid::bench {
namespace {

constexpr uint16_t kKind = annotations::kind(annotations::kInstant);
constexpr size_t kFactorOfCheapCalls = 20;
constexpr char kPairsNote[] = " (begin and end)";

Case clock_read() {
#if defined(__x86_64__)
  if (g_ticks_are_tsc)
    return {"clock read", [](size_t n) {
              for (size_t i = 0; i < n; ++i) keep(__rdtsc());
            }};
#endif
  return {"clock read", [](size_t n) {
            for (size_t i = 0; i < n; ++i) keep(read_ticks());
          }};
}

/// A case whose body is compiled into its own loop, as a hook is compiled into its library.
template <class Body>
Case recorded(std::string name, Body body) {
  return {std::move(name),
          [body](size_t n) {
            for (size_t i = 0; i < n; ++i) body(uint64_t{i});
          },
          {},
          let_drainer_catch_up};
}

template <class Body>
Case paused(std::string name, Body body) {
  return {std::move(name),
          [body](size_t n) {
            for (size_t i = 0; i < n; ++i) {
              body(uint64_t{i});
              asm volatile("" : : : "memory");
            }
          },
          pause_recording, resume_recording, kFactorOfCheapCalls};
}

Case without_library() {
  return {"perseid_instant() without the library",
          [](size_t n) {
            for (size_t i = 0; i < n; ++i) perseid_instant("instant");
          },
          [] { __atomic_store_n(&perseid_api_slot, nullptr, __ATOMIC_RELEASE); },
          [] { connect_programs(); }, kFactorOfCheapCalls};
}

Case naive() {
  static NaiveTracer tracer;
  return {"mutex, steady_clock and std::vector",
          [](size_t n) {
            for (size_t i = 0; i < n; ++i) tracer.record(kKind, i, i, i);
          },
          {},
          [] { tracer.forget(); }};
}

void range_with_two_arguments(uint64_t i) noexcept {
  const perseid_arg args[] = {perseid_arg_uint("row", i), perseid_arg_double("norm", 0.5)};
  perseid_begin_with("range", args, 2);
  perseid_end();
}

std::vector<Case> all_cases() {
  return {
      clock_read(),
      {"empty loop",
       [](size_t n) {
         for (size_t i = 0; i < n; ++i) keep(i);
       },
       {},
       {},
       kFactorOfCheapCalls},
      recorded("emit(), no words", [](uint64_t) { emit(kKind, 1); }),
      recorded("emit(), 2 words", [](uint64_t i) { emit(kKind, 1, i, i); }),
      recorded("emit(), 4 words", [](uint64_t i) { emit(kKind, 1, i, i, i, i); }),
      recorded("perseid_instant()", [](uint64_t) { perseid_instant("instant"); }),
      recorded(std::string("perseid range") + kPairsNote,
               [](uint64_t) {
                 perseid_begin("range");
                 perseid_end();
               }),
      recorded(std::string("perseid range, 2 arguments") + kPairsNote, range_with_two_arguments),
      paused("emit(), 2 words, paused", [](uint64_t i) { emit(kKind, 1, i, i); }),
      paused("perseid_instant(), paused", [](uint64_t) { perseid_instant("instant"); }),
      paused(std::string("perseid range, paused") + kPairsNote,
             [](uint64_t) {
               perseid_begin("range");
               perseid_end();
             }),
      without_library(),
      naive(),
  };
}

std::vector<Case> ring_cases() {
  return {clock_read(), recorded("emit(), 2 words", [](uint64_t i) { emit(kKind, 1, i, i); }),
          naive()};
}

int measure_here(const std::string& which, size_t threads, size_t rounds) {
  emit(kKind, 1);  // starts the session, which decides which clock is read
  print_rows(measure(which == "all" ? all_cases() : ring_cases(), threads, rounds, kBurst));
  return 0;
}

struct Flavour {
  const char* rings;
  const char* place;
  size_t threads;
  Collected collected = {};
};

void compare_rings(const std::string& settings, size_t children, size_t rounds) {
  std::vector<Flavour> flavours{{"shm", "/dev/shm", 1},
                                {"shm", "/dev/shm", 2},
                                {"capture", "the capture", 1},
                                {"capture", "the capture", 2}};
  std::vector<Flavour*> order;
  for (Flavour& flavour : flavours) order.push_back(&flavour);
  std::mt19937 generator{std::random_device{}()};
  for (size_t i = 0; i < children; ++i) {
    std::shuffle(order.begin(), order.end(), generator);
    for (Flavour* flavour : order)
      flavour->collected.add(run_child(
          own_program(),
          {"--measure", "rings", std::to_string(flavour->threads), std::to_string(rounds)},
          fmt::format("{},rings={}", settings, flavour->rings)));
  }
  Table table("Where the rings are, and how many threads record at once",
              {"rings in", "threads", "clock ns", "emit ns", "x clock", "mutex ns", "x clock"});
  for (const Flavour& flavour : flavours) {
    const auto results = flavour.collected.medians();
    table.add({flavour.place, std::to_string(flavour.threads), fixed(results[0].ns, 1),
               fixed(results[1].ns, 1), fixed(results[1].ratio, 2), fixed(results[2].ns, 1),
               fixed(results[2].ratio, 2)});
  }
  table.print();
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  const ScratchDirectory scratch(options.scratch);
  const std::string settings = fmt::format("dir={},export=0,quiet=1", scratch.path());
  const size_t children = options.is_quick ? 3 : 9;
  const size_t rounds = options.is_quick ? 40 : 150;
  Collected collected;
  for (size_t i = 0; i < children; ++i)
    collected.add(
        run_child(own_program(), {"--measure", "all", "1", std::to_string(rounds)}, settings));
  Table table("One thread, thread CPU time per operation", {"operation", "ns", "x clock read"});
  for (const Measurement& m : collected.medians())
    table.add({m.name, fixed(m.ns, 2), fixed(m.ratio, 2)});
  table.print();
  compare_rings(settings, children, rounds);
  return 0;
}

int run(const Options& options) {
  if (options.rest.size() == 4 && options.rest[0] == "--measure")
    return measure_here(options.rest[1], std::stoul(options.rest[2]), std::stoul(options.rest[3]));
  return report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("emit_bench", count, words, perseid::bench::run);
}
