// timeline/export/export.cpp: joins reader, walk, selection and writers.
#include "timeline/export/export.h"

#include <fmt/format.h>

#include <memory>

#include "capture/reader.h"
#include "timeline/export/timeline_name.h"
#include "timeline/sinks/run_row.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/walk.h"
#include "timeline/writers/output_set.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

/// Counts what a report tells.
class CountingSink final : public ForwardingSink {
 public:
  using ForwardingSink::ForwardingSink;

  void slice(const Slice& slice) override {
    ++slices_;
    to_->slice(slice);
  }
  uint64_t slices() const noexcept { return slices_; }

 private:
  uint64_t slices_ = 0;
};

/// Tells the summary where the selection cut, before the summary writes its row.
class CutNote final : public ForwardingSink {
 public:
  CutNote(SummaryLane& to, const SelectionSink* selection, std::string reason)
      : ForwardingSink(&to), summary_(&to), selection_(selection), reason_(std::move(reason)) {}

  void finish(const RunFacts& facts) override {
    RunFacts told = facts;
    if (selection_ != nullptr && selection_->left_out() > 0) {
      told.emplace_back("left_out", std::to_string(selection_->left_out()));
    }
    if (selection_ != nullptr && selection_->is_cut()) {
      summary_->note_cut(selection_->cut_ns(), reason_);
      told.emplace_back("cut_by", reason_);
    }
    to_->finish(told);
  }

 private:
  SummaryLane* summary_;
  const SelectionSink* selection_;
  std::string reason_;
};

uint64_t arrows_wanted(const Manifest& manifest) {
  const std::string_view setting = manifest.get("deps");
  if (setting == "all") return UINT64_MAX;
  return setting.empty() ? DependencyBudget::kDefault : manifest.get_number("deps");
}

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

/// Where the timeline goes if this export names no file: to the run's own place only if the
/// capture is our own.
std::string place_without_name(const Capture& source, bool follows_manifest) {
  const std::string_view wanted = source.manifest().get("out");
  if (follows_manifest && !wanted.empty()) return std::string(wanted);
  return directory_of(source.path()) + timeline_name(source.manifest(), source.path());
}

Result<std::vector<ChosenWriter>> choose(const Capture& source, const ExportOptions& options) {
  const bool is_asked = !options.out.empty();
  const std::string wanted =
      is_asked ? options.out : place_without_name(source, options.follows_manifest);
  const OutputFile::Special special = is_asked || options.follows_manifest
                                          ? OutputFile::Special::kWrite
                                          : OutputFile::Special::kPassBy;
  // A file that was named for this export keeps its format; the run's setting is for its own.
  const std::string formats = !options.formats.empty() || is_asked
                                  ? options.formats
                                  : std::string(source.manifest().get("format"));
  std::vector<ChosenWriter> chosen;
  if (!formats.empty()) {
    Result<std::vector<ChosenWriter>> several = choose_writers(wanted, formats, special);
    if (!several) return Error{several.error()};
    chosen = std::move(*several);
  } else {
    const Result<ChosenWriter> one = choose_writer(wanted, special);
    if (!one) return Error{one.error()};
    chosen.push_back(*one);
  }
  for (const std::string& path : options.also_to) {
    const Result<ChosenWriter> one = choose_writer(path);
    if (!one) return Error{one.error()};
    chosen.push_back(*one);
  }
  return chosen;
}

Selection limits_of(const Capture& source, const Selection& asked) {
  Selection selection = asked;
  const auto limit = [&](const char* key, uint64_t& to) {
    const uint64_t set = source.manifest().get_number(key);
    if (to == UINT64_MAX && set > 0) to = set;
  };
  limit("max_events", selection.max_events);
  limit("max_bytes", selection.max_bytes);
  return selection;
}

std::string limits_in_words(const Selection& selection) {
  std::string words;
  if (selection.max_events != UINT64_MAX)
    words = fmt::format("max_events={}", selection.max_events);
  if (selection.max_bytes != UINT64_MAX) {
    words += fmt::format("{}max_bytes={}", words.empty() ? "" : ", ", selection.max_bytes);
  }
  return words;
}

}  // namespace

Result<ExportReport> export_capture(const std::string& capture, const ExportOptions& options) {
  Result<std::unique_ptr<Capture>> opened = Capture::open(capture, known_kinds());
  if (!opened) return Error{opened.error()};
  Capture& source = **opened;

  const Result<std::vector<ChosenWriter>> chosen = choose(source, options);
  if (!chosen) return Error{chosen.error()};
  Result<std::unique_ptr<OutputSet>> created =
      OutputSet::create(*chosen, options.may_load_libraries);
  if (!created) return Error{created.error()};
  OutputSet& outputs = **created;

  const Selection selection = limits_of(source, options.selection);
  CountingSink counting(&outputs);
  std::unique_ptr<SelectionSink> selecting;
  if (!selection.is_everything()) {
    selecting = std::make_unique<SelectionSink>(counting, selection,
                                                [&outputs] { return outputs.bytes(); });
  }
  SummaryLane summary(selecting ? static_cast<TraceSink&>(*selecting) : counting, outputs);
  const std::string limits = limits_in_words(selection);
  CutNote first(summary, selecting.get(), limits);
  const WalkReport walked = walk(
      source, first,
      {.progress = options.progress,
       .dependency_arrows = options.dependency_arrows.value_or(arrows_wanted(source.manifest())),
       .may_load_libraries = options.may_load_libraries});

  ExportReport report;
  report.records = walked.records;
  report.slices = counting.slices();
  report.losses = losses_of(source, walked);
  report.damages = source.damages().count();
  report.stripped = walked.stripped;
  if (selecting && selecting->is_cut()) {
    report.cut = fmt::format("cut at {:.6f} s by {}; {} events are not in it",
                             static_cast<double>(selecting->cut_after_ns()) / 1e9, limits,
                             selecting->left_out());
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint64_t bytes = outputs.file_bytes(i);
    const Result<std::string> name = outputs.commit(i);
    if (!name) {
      return Error{fmt::format("{}; the capture {} is kept", name.error(), source.path())};
    }
    if (i == 0) {
      report.file = *name;
      report.file_bytes = bytes;
    } else {
      report.more_files.push_back({*name, bytes});
    }
  }
  return report;
}

std::vector<std::string> files_of(const ExportReport& report) {
  std::vector<std::string> files = {report.file};
  for (const WrittenFile& file : report.more_files) files.push_back(file.name);
  return files;
}

std::string describe(const ExportReport& report) {
  std::string line = fmt::format("{} event{}, {}", report.records, plural(report.records),
                                 describe(report.losses));
  if (report.damages > 0) {
    line += fmt::format(", {} damaged place{}", report.damages, plural(report.damages));
  }
  line += fmt::format(", {} in {}", human_bytes(report.file_bytes), report.file);
  for (const WrittenFile& file : report.more_files) {
    line += fmt::format(", {} in {}", human_bytes(file.bytes), file.name);
  }
  if (!report.cut.empty()) line += fmt::format("; the timeline is {}", report.cut);
  if (!report.stripped.empty()) {
    line += fmt::format("; {} has no symbols: install its debug symbols to see names in it",
                        report.stripped);
  }
  return line;
}

}  // namespace perseid
