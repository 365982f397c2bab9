// bench/analysis_bench.cpp: what the analysis of a run costs beside its export: CPU time per task,
// and memory where a run has four times as many tasks.
//
// The tasks are those of a program that submits far ahead: 1024 of them, with three accesses each,
// wait for 16 workers. A datum is written after those that read it; a task becomes ready when the
// second of its predecessors ends, and is some time in the queue. "Walk" reads, merges, and
// decodes; exports write to nowhere.
//
//   --tasks N         tasks of the smaller capture; the larger one has four times as many
//   --capture PATH    a capture of your own instead: CPU time only
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/child.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/own_cost.h"
#include "bench/statistics.h"
#include "bench/table.h"
#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/analysis/analysis.h"
#include "timeline/export/pipeline.h"
#include "timeline/report/report_json.h"
#include "timeline/walk/decoder.h"
#include "timeline/writers/writer.h"

namespace perseid::bench {
namespace {

constexpr uint64_t kAhead = 1024;  // tasks between submission and execution
constexpr uint64_t kWorkers = 16;  // each task takes as many steps of time
constexpr uint64_t kQueued = 14;   // between the end of the predecessor and the begin
constexpr uint64_t kData = 4096;
constexpr int64_t kStepNs = 100;
constexpr uint64_t kFirstTask = 0x55550000;
constexpr uint64_t kFirstDatum = 0x66660000;
constexpr uint64_t kTasksPerChunk = 256;
constexpr std::array<const char*, 4> kNames = {"gemm", "gemm", "trsm", "syrk"};

/// Task i is submitted at step i, and ready, begun and ended on its worker later on.
std::string record_tasks(test::StarpuCapture& capture, uint64_t tasks) {
  namespace events = perseid::starpu;
  constexpr uint64_t kEndAfter = kAhead + kWorkers - 1;
  constexpr uint64_t kReadyAfter = kAhead - kQueued;
  const auto datum = [](uint64_t task) { return kFirstDatum + 64 * (task % kData); };
  const auto address = [](uint64_t task) { return kFirstTask + 0x180 * (task % (2 * kAhead)); };
  for (uint64_t i = 0; i < kData; ++i) {
    capture.main().record(50, events::kDataRegister, 0, {datum(i), 64, 0, 0});
  }
  test::Submitted what;
  what.uses.resize(3);
  for (uint64_t i = 0; i < tasks + kEndAfter; ++i) {
    const int64_t at_ns = 1000 + static_cast<int64_t>(i) * kStepNs;
    if (i % kTasksPerChunk == 0) {
      capture.main().stream().cut();
      for (uint32_t worker = 0; worker < kWorkers; ++worker) capture.worker(worker).stream().cut();
    }
    // One worker ends a task, makes another one ready, and takes its next.
    const uint64_t ended = i - kEndAfter;
    const uint64_t ready = i - kReadyAfter;
    const uint64_t begun = i - kAhead;
    if (i >= kEndAfter && ended < tasks) {
      const auto its = static_cast<uint32_t>(ended % kWorkers);
      capture.worker(its).exec_end(at_ns, its, address(ended));
      if (i >= kReadyAfter && ready < tasks) {
        capture.worker(its).push(at_ns + 5, address(ready)).push_end(at_ns + 6, address(ready));
      }
      capture.worker(its)
          .post_exec(at_ns + 7, its, address(ended))
          .clean(at_ns + 8, address(ended));
    } else if (i >= kReadyAfter && ready < tasks) {
      capture.main().push(at_ns + 5, address(ready)).push_end(at_ns + 6, address(ready));
    }
    if (i >= kAhead && begun < tasks) {
      const auto its = static_cast<uint32_t>(begun % kWorkers);
      capture.worker(its)
          .pop(at_ns + 20, its, address(begun))
          .pre_exec(at_ns + 21, its, address(begun))
          .exec(at_ns + 25, its, address(begun));
    }
    if (i >= tasks) continue;
    // As in a factorization: two tiles are read, a third is updated.
    what.name = kNames[i % kNames.size()];
    what.uses[0] = {datum(i + kData - 30), uint32_t{events::kRead}};
    what.uses[1] = {datum(i + kData - 50), uint32_t{events::kRead}};
    what.uses[2] = {datum(i), uint32_t{events::kRead | events::kWrite}};
    capture.main().submit_at(at_ns + 70, address(i), what);
  }
  capture.capture.write();
  return capture.capture.path();
}

class NoDrawing final : public TraceSink {
 public:
  void process(const Process&) override {}
  void track(const Track&) override {}
  void slice(const Slice& slice) override { keep(slice.begin_ns); }
  void counter(TrackId, int64_t, double value) override { keep(value); }
  void finish(const RunFacts&) override {}
};

class NoFile final : public ByteSink {
 public:
  void write(const char* data, size_t bytes) noexcept override { keep(data[bytes - 1]); }
};

class TimesAlone final : public ModelSink {
 public:
  void take(const BatchRef& batch) override { times_.take(*batch); }
  void finish(const NameIds&) override { times_.finish(); }

 private:
  WorkerTimes times_;
};

class TaskCounter final : public ModelSink {
 public:
  void take(const BatchRef& batch) override { tasks_ += batch->tasks.size(); }
  void finish(const NameIds&) override {}
  uint64_t tasks() const noexcept { return tasks_; }

 private:
  uint64_t tasks_ = 0;
};

std::unique_ptr<Capture> open(const std::string& path) {
  Result<std::unique_ptr<Capture>> capture = open_capture(path);
  if (!capture) throw std::runtime_error(capture.error());
  return std::move(*capture);
}

void walk_with(const std::string& path, ModelSink* sink) {
  const std::unique_ptr<Capture> capture = open(path);
  NoDrawing nowhere;
  WalkOptions options;
  if (sink != nullptr) options.model_sinks.push_back(sink);
  walk(*capture, nowhere, options);
}

template <class Sink>
void walk_with_new(const std::string& path) {
  Sink sink;
  walk_with(path, &sink);
}

void export_to_nowhere(const std::string& path, const char* format, bool analyses) {
  const std::unique_ptr<Capture> capture = open(path);
  NoFile nowhere;
  const std::unique_ptr<TimelineWriter> writer = find_format(format)->make(nowhere);
  PipelineOptions options;
  if (analyses) {
    options.take_report = [&](const ReportData& data) { writer->report(write_report_json(data)); };
  }
  show_capture(*capture, *writer, options);
}

struct Way {
  const char* name;
  size_t against;  // the one that it is compared with
  void (*run)(const std::string& path);
};
const std::array<Way, 9> kWays = {{
    {"walk", 0, [](const std::string& path) { walk_with(path, nullptr); }},
    {"walk, where the time of workers went", 0, walk_with_new<TimesAlone>},
    {"walk, chains", 0, walk_with_new<ChainAnalysis>},
    {"walk, statistics", 0, walk_with_new<Statistics>},
    {"walk, all of these", 0,
     [](const std::string& path) {
       Analysis analysis({});
       walk_with(path, &analysis);
     }},
    {"export to pftrace, without a report", 5,
     [](const std::string& path) { export_to_nowhere(path, "pftrace", false); }},
    {"export to pftrace", 5,
     [](const std::string& path) { export_to_nowhere(path, "pftrace", true); }},
    {"export to JSON, without a report", 7,
     [](const std::string& path) { export_to_nowhere(path, "json", false); }},
    {"export to JSON", 7, [](const std::string& path) { export_to_nowhere(path, "json", true); }},
}};

double tasks_of(const std::string& path) {
  TaskCounter counter;
  walk_with(path, &counter);
  return static_cast<double>(counter.tasks());
}

struct Samples {
  std::vector<double> ns;
  std::vector<double> ratios;
};

/// In rounds, in a new order each, so that a slow moment of the machine hits all alike.
std::array<Samples, kWays.size()> measure_ways(const std::string& path, size_t rounds) {
  const double tasks = tasks_of(path);
  std::array<Samples, kWays.size()> samples;
  std::array<size_t, kWays.size()> order;
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::mt19937 random(1);
  for (size_t round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::array<double, kWays.size()> ns;
    for (const size_t at : order) {
      const double before_ns = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
      kWays[at].run(path);
      ns[at] = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - before_ns) / tasks;
    }
    for (size_t at = 0; at < kWays.size(); ++at) {
      samples[at].ns.push_back(ns[at]);
      samples[at].ratios.push_back(ns[at] / ns[kWays[at].against]);
    }
  }
  return samples;
}

double peak_of(const std::string& path, size_t way) {
  return std::stod(run_child(own_program(), {"--peak", path, std::to_string(way)}, "").at(0).at(0));
}

void report(const std::string& small, const std::string& large, size_t rounds) {
  const bool has_memory = !large.empty();
  std::vector<std::string> columns = {"what", "ns/task", "ratio"};
  if (has_memory) {
    columns.emplace_back(fmt::format("MiB, {:.1f} million", tasks_of(small) / 1e6));
    columns.emplace_back(fmt::format("MiB, {:.1f} million", tasks_of(large) / 1e6));
  }
  Table table("The analysis of a run of StarPU; the ratio is to the same without it", columns);
  const auto samples = measure_ways(has_memory ? large : small, rounds);
  for (size_t at = 0; at < kWays.size(); ++at) {
    std::vector<std::string> cells = {kWays[at].name, fixed(median(samples[at].ns), 0),
                                      fixed(median(samples[at].ratios), 2)};
    if (has_memory) {
      for (const std::string* path : {&small, &large}) {
        cells.push_back(fixed(peak_of(*path, at), 1));
      }
    }
    table.add(cells);
  }
  table.print();
}

/// In a process of its own: records are in memory before they are written.
std::string record(const ScratchDirectory& scratch, uint64_t tasks) {
  const std::string path = fmt::format("{}/{}.capture", scratch.path(), tasks);
  run_child(own_program(), {"--record", std::to_string(tasks), path}, "");
  return path;
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 3 && rest[0] == "--record") {
    // The builder's own directory goes away with it.
    const std::filesystem::path to = rest[2];
    setenv("TMPDIR", to.parent_path().c_str(), 1);
    test::StarpuCapture capture(kWorkers, "lws");
    std::filesystem::rename(record_tasks(capture, std::stoul(rest[1])), to);
    return 0;
  }
  if (rest.size() == 3 && rest[0] == "--peak") {
    kWays.at(std::stoul(rest[2])).run(rest[1]);
    fmt::print("{}\n", own_cost().peak_mib);
    return 0;
  }
  if (options.shows_machine) print_machine();
  const size_t rounds = options.is_quick ? 3 : 9;
  if (rest.size() == 2 && rest[0] == "--capture") {
    report(rest[1], "", rounds);
    return 0;
  }
  uint64_t tasks = options.is_quick ? 50'000 : 500'000;
  if (rest.size() == 2 && rest[0] == "--tasks") tasks = std::stoul(rest[1]);
  const ScratchDirectory scratch(options.scratch);
  report(record(scratch, tasks), record(scratch, 4 * tasks), rounds);
  return 0;
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("analysis_bench", count, words, perseid::bench::run);
}
