// bench/drain_bench.cpp: what an event costs the whole process, background thread included.
//
// Paced threads record in small bursts and sleep in between, as programs that also compute do;
// flat out they do nothing else. The cost of an event is the producers' CPU time inside their
// bursts and everything that other threads of the process use until the last byte is written.
#include <fmt/format.h>
#include <time.h>

#include <barrier>
#include <thread>

#include "annotations/events.h"
#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/spool_facts.h"
#include "bench/statistics.h"
#include "bench/table.h"
#include "plugin/record/emit.h"
#include "plugin/session/session.h"

namespace perseid::bench {
namespace {

constexpr uint16_t kKind = annotations::kind(annotations::kInstant);
constexpr size_t kBurst = 1000;

struct Load {
  const char* name;
  size_t threads;
  uint64_t events_per_second;  // of each thread; 0: as many as it can
  const char* rings;
};

/// CPU time of one producer, and how long its calls took if that was asked for.
struct Producer {
  double inside_ns = 0;
  double total_ns = 0;
  std::vector<double> latencies = {};
};

void record_burst(uint64_t first) noexcept {
  for (uint64_t i = first; i < first + kBurst; ++i) emit(kKind, 1, i, i);
}

void record_burst_with_stopwatch(uint64_t first, std::vector<double>& latencies) {
  for (uint64_t i = first; i < first + kBurst; ++i) {
    const uint64_t began = read_ticks();
    emit(kKind, 1, i, i);
    latencies.push_back(static_cast<double>(read_ticks() - began));
  }
}

void sleep_until(int64_t mono_ns) noexcept {
  const timespec until{mono_ns / 1'000'000'000, mono_ns % 1'000'000'000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

void produce(Producer& producer, uint64_t events, uint64_t events_per_second, bool has_stopwatch) {
  if (has_stopwatch) producer.latencies.reserve(events);
  const double began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  int64_t due_ns = read_clock_ns(CLOCK_MONOTONIC);
  for (uint64_t done = 0; done < events; done += kBurst) {
    const double burst_began = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    if (has_stopwatch)
      record_burst_with_stopwatch(done, producer.latencies);
    else
      record_burst(done);
    producer.inside_ns += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - burst_began;
    if (events_per_second == 0) continue;
    due_ns += static_cast<int64_t>(kBurst * 1'000'000'000 / events_per_second);
    sleep_until(due_ns);
  }
  producer.total_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

/// Ticks of one nanosecond, for the latencies.
double ticks_per_ns() noexcept {
  const ClockAnchor first = take_anchor();
  sleep_until(first.mono_ns + 20'000'000);
  const ClockAnchor second = take_anchor();
  return static_cast<double>(second.ticks - first.ticks) /
         static_cast<double>(second.mono_ns - first.mono_ns);
}

int measure_here(size_t threads, uint64_t events, uint64_t events_per_second, bool has_stopwatch) {
  std::vector<Producer> producers(threads);
  std::barrier gate(static_cast<std::ptrdiff_t>(threads) + 1);
  std::vector<std::jthread> workers;
  for (Producer& producer : producers)
    workers.emplace_back([&] {
      emit(kKind, 1);  // the thread's ring is there before the measurement
      gate.arrive_and_wait();
      gate.arrive_and_wait();
      produce(producer, events, events_per_second, has_stopwatch);
    });
  gate.arrive_and_wait();
  sleep_until(read_clock_ns(CLOCK_MONOTONIC) + 50'000'000);  // spare rings are made meanwhile
  const double process_began = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  gate.arrive_and_wait();
  workers.clear();
  end_session(0);
  const double process_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process_began;

  const double per_event = 1 / static_cast<double>(events * threads);
  double inside_ns = 0, others_ns = process_ns;
  std::vector<double> latencies;
  for (const Producer& producer : producers) {
    inside_ns += producer.inside_ns;
    others_ns -= producer.total_ns;
    latencies.insert(latencies.end(), producer.latencies.begin(), producer.latencies.end());
  }
  if (has_stopwatch) {
    const double scale = 1 / ticks_per_ns();
    for (const double share : {0.5, 0.99, 0.999, 0.9999, 1.0})
      fmt::print("{}\t", quantile(latencies, share) * scale);
    fmt::print("\n");
    return 0;
  }
  const uint64_t expected = (events + 1) * threads;  // one by which the thread joined
  const SpoolFacts facts = read_spool_facts(session().capture);
  fmt::print("{}\t{}\t{}\t{}\t{}\n", inside_ns * per_event, others_ns * per_event,
             static_cast<double>(facts.bytes) * per_event, facts.self_flushes,
             facts.records - facts.self_flushes != expected ? "yes" : "none");
  return 0;
}

Rows run_load(const Options& options, const Load& load, uint64_t events, bool has_stopwatch) {
  const ScratchDirectory scratch(options.scratch);  // removed at once: these are large
  return run_child(own_program(),
                   {"--measure", std::to_string(load.threads), std::to_string(events),
                    std::to_string(load.events_per_second), has_stopwatch ? "1" : "0"},
                   fmt::format("dir={},export=0,quiet=1,rings={}", scratch.path(), load.rings));
}

std::vector<std::string> median_cells(const std::vector<Rows>& runs, size_t cells, int decimals) {
  std::vector<std::string> result;
  for (size_t cell = 0; cell < cells; ++cell) {
    std::vector<double> samples;
    for (const Rows& rows : runs) samples.push_back(std::stod(rows.at(0).at(cell)));
    result.push_back(fixed(median(samples), decimals));
  }
  return result;
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  const Load loads[] = {{"100 000 events/s", 2, 100'000, "shm"},
                        {"1 million events/s", 1, 1'000'000, "shm"},
                        {"1 million events/s", 2, 1'000'000, "shm"},
                        {"1 million events/s, rings on disk", 2, 1'000'000, "capture"},
                        {"flat out", 1, 0, "shm"},
                        {"flat out", 2, 0, "shm"}};
  const size_t runs = options.is_quick ? 3 : 5;
  const double seconds = options.is_quick ? 0.5 : 4;
  const uint64_t flat_out_events = options.is_quick ? 4'000'000 : 20'000'000;
  std::vector<std::vector<Rows>> costs(std::size(loads)), latencies(std::size(loads));
  for (size_t run = 0; run < runs; ++run)
    for (size_t i = 0; i < std::size(loads); ++i) {
      const Load& load = loads[i];
      const uint64_t events =
          load.events_per_second == 0
              ? flat_out_events
              : static_cast<uint64_t>(seconds * static_cast<double>(load.events_per_second));
      costs[i].push_back(run_load(options, load, events, false));
      latencies[i].push_back(run_load(options, load, std::min<uint64_t>(events, 2'000'000), true));
    }

  Table cost("All CPU of the process per event of 2 words, until everything is on disk",
             {"load of each thread", "threads", "producer ns", "drainer ns", "all ns", "bytes",
              "self flushes", "lost"});
  Table latency("How long a call of emit() keeps its thread, wall clock, two clock reads included",
                {"load of each thread", "threads", "p50 ns", "p99 ns", "p99.9 ns", "p99.99 ns",
                 "longest us"});
  for (size_t i = 0; i < std::size(loads); ++i) {
    const std::string threads = std::to_string(loads[i].threads);
    const auto cells = median_cells(costs[i], 3, 1);
    std::vector<double> sums;
    bool is_lossy = false;
    for (const Rows& rows : costs[i]) {
      sums.push_back(std::stod(rows[0][0]) + std::stod(rows[0][1]));
      is_lossy = is_lossy || rows[0][4] != "none";
    }
    cost.add({loads[i].name, threads, cells[0], cells[1], fixed(median(sums), 1), cells[2],
              median_cells(costs[i], 4, 0)[3], is_lossy ? "yes" : "none"});
    const auto times = median_cells(latencies[i], 5, 0);
    latency.add({loads[i].name, threads, times[0], times[1], times[2], times[3],
                 fixed(std::stod(times[4]) / 1000, 0)});
  }
  cost.print();
  latency.print();
  return 0;
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 5 && rest[0] == "--measure")
    return measure_here(std::stoul(rest[1]), std::stoul(rest[2]), std::stoul(rest[3]),
                        rest[4] == "1");
  return report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("drain_bench", count, words, perseid::bench::run);
}
