// bench/job_bench.cpp: what a traced MPI message costs, and a merge of many ranks.
//
//   bench_job [--quick] LIBRARY PINGS      PINGS is tests/run/mpi/programs/pings.c, built
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "bench/child.h"
#include "bench/machine.h"
#include "bench/options.h"
#include "bench/own_cost.h"
#include "bench/statistics.h"
#include "bench/synthetic_capture.h"
#include "bench/table.h"
#include "capture/format.h"
#include "capture/manifest.h"
#include "timeline/export/merge_captures.h"

namespace perseid::bench {
namespace {

namespace fs = std::filesystem;

/// In a process of its own: its CPU time and memory are the merge's.
int merge_here(const std::string& directory, const std::string& out) {
  std::vector<std::string> captures;
  for (const auto& entry : fs::directory_iterator(directory)) {
    captures.push_back(entry.path().string());
  }
  const Result<JoinReport> report = join_captures(captures, {.out = out, .progress = {}});
  if (!report) throw std::runtime_error(report.error());
  if (report->losses.total() > 0 || report->damages > 0)
    throw std::runtime_error(describe(*report));
  const OwnCost cost = own_cost();
  fmt::print("{}\t{}\t{}\t{}\n", report->records, report->file_bytes, cost.user_s + cost.system_s,
             cost.peak_mib);
  return 0;
}

/// The same capture again and again, as ranks of one job: the files are shared, the names are not.
void make_ranks(const std::string& capture, uint64_t ranks, const std::string& directory) {
  std::ifstream file(capture + "/" + kManifestFile, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const Manifest manifest = parse_manifest(text);
  for (uint64_t rank = 0; rank < ranks; ++rank) {
    const std::string path = fmt::format("{}/rank{}{}", directory, rank, kCaptureSuffix);
    fs::create_directory(path);
    for (const auto& entry : fs::directory_iterator(capture)) {
      if (entry.path().filename() == kManifestFile) continue;
      fs::create_hard_link(entry.path(), path + "/" + entry.path().filename().string());
    }
    auto entries = manifest.entries;
    std::erase_if(entries, [](const auto& item) { return item.first == "rings"; });
    entries.emplace_back("rings", path);
    entries.emplace_back("rank", std::to_string(rank));
    entries.emplace_back("size", std::to_string(ranks));
    std::ofstream(path + "/" + kManifestFile, std::ios::binary) << format_manifest(entries);
  }
}

void report_merge(const Options& options) {
  Table table("Merging ranks of one million events each to JSON, into /dev/null",
              {"ranks", "million events", "million events/s/core", "peak resident MiB"});
  const ScratchDirectory scratch(options.scratch);
  const std::string recorded = scratch.path() + "/recorded";
  const std::string joined = scratch.path() + "/ranks";
  fs::create_directory(recorded);
  const Rows made = run_child(own_program(), {"--record", "500000"},
                              fmt::format("dir={},export=0,quiet=1", recorded));
  for (const uint64_t ranks :
       options.is_quick ? std::vector<uint64_t>{1, 4} : std::vector<uint64_t>{1, 64}) {
    fs::remove_all(joined);
    fs::create_directory(joined);
    make_ranks(made.at(0).at(0), ranks, joined);
    const Rows rows = run_child(own_program(), {"--merge", joined, "/dev/null"}, "");
    const double records = std::stod(rows.at(0).at(0));
    table.add({std::to_string(ranks), fixed(records / 1e6, 0),
               fixed(records / std::stod(rows.at(0).at(2)) / 1e6, 2),
               fixed(std::stod(rows.at(0).at(3)), 1)});
  }
  table.print();
}

/// `setting` is empty for an untraced run.
double message_ns(const std::string& library, const std::string& pings, uint64_t count,
                  const std::string& setting) {
  const std::string preload = setting.empty() ? "" : fmt::format("-x LD_PRELOAD={}", library);
  const Rows rows = run_child(
      "/bin/sh",
      {"-c",
       fmt::format("exec mpirun.openmpi --oversubscribe {} -np 2 {} {}", preload, pings, count)},
      setting);
  return std::stod(rows.at(0).at(0));
}

/// Two hooks and four records for each: a send here, a receive there.
void report_messages(const Options& options, const std::string& library, const std::string& pings) {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  const size_t runs = options.is_quick ? 3 : 11;
  const uint64_t count = options.is_quick ? 20'000 : 200'000;
  std::vector<double> plain, traced, ratios;
  for (size_t run = 0; run < runs; ++run) {
    const ScratchDirectory scratch(options.scratch);
    plain.push_back(message_ns(library, pings, count, ""));
    traced.push_back(message_ns(library, pings, count,
                                fmt::format("out={}/%r.json,export=0,quiet=1", scratch.path())));
    ratios.push_back(traced.back() / plain.back());
  }
  Table table("A message of 8 bytes between two ranks, Open MPI on one machine",
              {"program", "ns/message", "ratio"});
  table.add({"untraced", fixed(median(plain), 0), "1.00"});
  table.add({"traced", fixed(median(traced), 0), fixed(median(ratios), 2)});
  table.print();
}

int report(const Options& options) {
  if (options.shows_machine) print_machine();
  if (options.rest.size() == 2 && access(options.rest[1].c_str(), X_OK) == 0) {
    report_messages(options, options.rest[0], options.rest[1]);
  } else {
    fmt::print("No Open MPI: the cost of a message is not measured.\n\n");
  }
  report_merge(options);
  return 0;
}

int run(const Options& options) {
  const auto& rest = options.rest;
  if (rest.size() == 2 && rest[0] == "--record") {
    fmt::print("{}\n", record_slices(std::stoul(rest[1]), 4, Shape::kPlain));
    return 0;
  }
  if (rest.size() == 3 && rest[0] == "--merge") return merge_here(rest[1], rest[2]);
  return report(options);
}

}  // namespace
}  // namespace perseid::bench

int main(int count, char** words) {
  return perseid::bench::run_bench("job_bench", count, words, perseid::bench::run);
}
