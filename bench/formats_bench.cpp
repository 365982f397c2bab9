// bench/formats_bench.cpp: the same capture to every format: speed, size, memory, and how long the
// real trace processor takes to load it.
//
// The tasks have four arguments, and each an arrow that comes in and one that goes out. "Writer
// alone" hands ready-made slices to the writer; the rest is reading, merging and decoding.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "bench/child.h"
#include "bench/export_cost.h"
#include "bench/harness.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/statistics.h"
#include "bench/synthetic_capture.h"
#include "bench/table.h"
#include "timeline/writers/gzip_stream.h"
#include "timeline/writers/writer.h"

namespace perseid::bench {
namespace {

constexpr const char* kFormats[] = {"json", "json.gz", "pftrace", "pftrace.gz"};
constexpr uint32_t kThreads = 16;

class NoFile final : public ByteSink {
 public:
  void write(const char* data, size_t bytes) noexcept override { keep(data[bytes - 1]); }
};

/// CPU nanoseconds per slice of the writer and, for .gz, its compressor on this thread.
double writer_alone_ns(const char* format, int64_t slices) {
  const WriterEntry* const entry = find_format(format);
  NoFile nowhere;
  GzipStream compressor(nowhere, 0);
  ByteSink& sink = entry->is_compressed ? static_cast<ByteSink&>(compressor) : nowhere;
  const std::unique_ptr<TimelineWriter> writer = entry->make(sink);
  writer->process({4242, "bench", {}, 7, 1'000'000'000, 5});
  for (TrackId id = 1; id <= kThreads; ++id) {
    Track track;
    track.id = id;
    track.pid = 4242;
    track.tid = 4242 + id;
    track.name = fmt::format("worker {}", id);
    writer->track(track);
  }
  constexpr std::string_view kNames[] = {"potrf", "trsm", "syrk", "gemm"};
  const double before = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int64_t i = 0; i < slices; ++i) {
    const auto number = static_cast<uint64_t>(i);
    const Argument arguments[] = {
        {"row", number % 97}, {"column", number % 89}, {"bytes", number * 8}, {"norm", 0.25}};
    const FlowEnd flows[] = {{number, false, 0, 1000 * i - 900}, {number + 1, true, 0, 1000 * i}};
    Slice slice;
    slice.track = static_cast<TrackId>(number % kThreads + 1);
    slice.begin_ns = 1000 * i;
    slice.end_ns = 1000 * i + 900;
    slice.name = kNames[number % std::size(kNames)];
    slice.category = "task";
    slice.arguments = arguments;
    slice.flows = flows;
    writer->slice(slice);
  }
  writer->finish({});
  return (cpu_ns(CLOCK_THREAD_CPUTIME_ID) - before) / static_cast<double>(slices);
}

void report_formats(const Options& options, const std::string& capture) {
  Table table("One capture to every format, tasks with 4 arguments and an arrow",
              {"format", "million tasks", "export ns/task", "million tasks/s/core",
               "writer alone ns", "writer alone million/s", "bytes/task", "peak MiB"});
  const ScratchDirectory memory("/dev/shm");
  for (const char* const format : kFormats) {
    const ExportCost cost = median_cost(capture, memory.path(), format, options.is_quick ? 1 : 3);
    std::vector<double> alone;
    for (int i = 0; i < (options.is_quick ? 3 : 7); ++i) {
      alone.push_back(writer_alone_ns(format, options.is_quick ? 200'000 : 1'000'000));
    }
    table.add({format, fixed(cost.slices / 1e6, 1), fixed(cost.cpu_s() * 1e9 / cost.slices, 0),
               fixed(cost.slices / cost.cpu_s() / 1e6, 2), fixed(median(alone), 0),
               fixed(1e3 / median(alone), 2), fixed(cost.bytes / cost.slices, 1),
               fixed(cost.peak_mib, 1)});
  }
  table.print();
}

/// Wall seconds until the trace processor has counted the slices.
double load_seconds(const std::string& file) {
  const auto start = std::chrono::steady_clock::now();
  const Rows rows =
      run_child("/usr/bin/env",
                {"node", PERSEID_TRACE_QUERY, file, "select count(*) as slices from slice"}, "");
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  if (rows.size() < 2 || rows[1].at(0) == "0") throw std::runtime_error("no slice was loaded");
  return taken.count();
}

void report_loading(const std::string& capture) {
  const char* const chosen = std::getenv("PERSEID_TRACE_PROCESSOR");
  const std::string processor = chosen != nullptr ? chosen : PERSEID_TRACE_PROCESSOR;
  if (!std::filesystem::exists(processor + "/trace_processor.wasm")) {
    fmt::print("No trace processor in {}: loading was not measured.\n\n", processor);
    return;
  }
  setenv("TRACE_PROCESSOR", processor.c_str(), 1);
  Table table("Loading it in the trace processor (wasm in node), wall clock, one run each",
              {"format", "million tasks", "MB", "seconds", "us/task"});
  const ScratchDirectory memory("/dev/shm");
  for (const char* const format : kFormats) {
    std::string file;
    const ExportCost cost = median_cost(capture, memory.path(), format, 1, &file);
    const double seconds = load_seconds(file);
    std::filesystem::remove(file);
    table.add({format, fixed(cost.slices / 1e6, 1), fixed(cost.bytes / 1e6, 0), fixed(seconds, 1),
               fixed(seconds * 1e6 / cost.slices, 1)});
  }
  table.print();
}

std::string record(const ScratchDirectory& scratch, uint64_t tasks) {
  const Rows made = run_child(own_program(), {"--record", std::to_string(tasks)},
                              fmt::format("dir={},export=0,quiet=1", scratch.path()));
  return made.at(0).at(0);
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  {
    const ScratchDirectory scratch(options.scratch);
    report_formats(options, record(scratch, options.is_quick ? 300'000 : 5'000'000));
  }
  const ScratchDirectory scratch(options.scratch);
  report_loading(record(scratch, options.is_quick ? 50'000 : 500'000));
  return 0;
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 2 && rest[0] == "--record") {
    fmt::print("{}\n", record_slices(std::stoul(rest[1]), kThreads, Shape::kRich));
    return 0;
  }
  if (rest.size() == 3 && rest[0] == "--export") return export_here(rest[1], rest[2]);
  return report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("formats_bench", count, words, perseid::bench::run);
}
