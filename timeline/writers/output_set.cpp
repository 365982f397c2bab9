// timeline/writers/output_set.cpp: opens files and hands everything to all writers.
#include "timeline/writers/output_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

namespace perseid {
namespace {

/// The first path that is there twice, or "". What goes to /dev/null may go there twice.
std::string find_twice(const std::vector<ChosenWriter>& chosen) {
  std::set<std::string> seen;
  for (const ChosenWriter& choice : chosen) {
    const std::string path = std::filesystem::path(choice.path).lexically_normal();
    if (path != "/dev/null" && !seen.insert(path).second) return choice.path;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<OutputSet>> OutputSet::create(const std::vector<ChosenWriter>& chosen,
                                                     bool may_start_threads) {
  if (const std::string twice = find_twice(chosen); !twice.empty()) {
    return Error{fmt::format("cannot write {} twice: name each file and each format once", twice)};
  }
  std::unique_ptr<OutputSet> set(new OutputSet);
  for (const ChosenWriter& choice : chosen) {
    if (choice.entry->is_compressed && !GzipStream::is_available()) {
      return Error{
          fmt::format("cannot compress {}: the library was built without libz.a", choice.path)};
    }
    Result<OutputFile> file = OutputFile::create(choice.path, choice.special);
    if (!file) return Error{file.error()};
    set->outputs_.push_back(std::make_unique<Output>(std::move(*file)));
    Output& output = *set->outputs_.back();
    ByteSink* sink = &output.file;
    if (choice.entry->is_compressed) {
      output.compressor = std::make_unique<GzipStream>(
          output.file, may_start_threads ? GzipStream::sensible_threads() : 0);
      sink = output.compressor.get();
    }
    output.writer = choice.entry->make(*sink);
  }
  return set;
}

void OutputSet::process(const Process& process) {
  for (const auto& output : outputs_) output->writer->process(process);
}

void OutputSet::track(const Track& track) {
  for (const auto& output : outputs_) output->writer->track(track);
}

void OutputSet::slice(const Slice& slice) {
  for (const auto& output : outputs_) output->writer->slice(slice);
}

void OutputSet::counter(TrackId track, int64_t at_ns, double value) {
  for (const auto& output : outputs_) output->writer->counter(track, at_ns, value);
}

void OutputSet::finish(const RunFacts& facts) {
  for (const auto& output : outputs_) output->writer->finish(facts);
}

void OutputSet::report(std::string_view json) {
  for (const auto& output : outputs_) output->writer->report(json);
}

uint64_t OutputSet::bytes() const noexcept {
  uint64_t most = 0;
  for (const auto& output : outputs_) most = std::max(most, output->writer->bytes());
  return most;
}

}  // namespace perseid
