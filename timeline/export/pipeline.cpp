// timeline/export/pipeline.cpp: joins capture, walk, filters and sinks for export, merge, check.
#include "timeline/export/pipeline.h"

#include <fmt/format.h>

#include "timeline/export/run_settings.h"
#include "timeline/sinks/run_row.h"
#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

/// Counts what a report has.
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

/// Notes in the row where the selection cut, before the row is written.
class CutNote final : public ForwardingSink {
 public:
  CutNote(RunRow& to, const SelectionSink* selection, std::string reason)
      : ForwardingSink(&to), row_(&to), selection_(selection), reason_(std::move(reason)) {}

  void finish(const RunFacts& facts) override {
    RunFacts all_facts = facts;
    if (selection_ != nullptr && selection_->left_out() > 0) {
      all_facts.emplace_back("left_out", std::to_string(selection_->left_out()), FactScope::kSum);
    }
    if (selection_ != nullptr && selection_->is_cut()) {
      row_->note_cut(selection_->cut_ns(), reason_);
      all_facts.emplace_back("cut_by", reason_, FactScope::kRank);
    }
    to_->finish(all_facts);
  }

 private:
  RunRow* row_;
  const SelectionSink* selection_;
  std::string reason_;
};

/// Hands out the report: at this point all rows and all facts are known.
class ReportNote final : public ForwardingSink {
 public:
  ReportNote(TraceSink* to, const Analysis* analysis,
             const std::function<void(const ReportData&)>* take)
      : ForwardingSink(to), analysis_(analysis), take_(take) {}

  void process(const Process& process) override {
    begin_ns_ = process.begin_ns;
    to_->process(process);
  }
  void finish(const RunFacts& facts) override {
    if (*take_) (*take_)(analysis_->result(facts, begin_ns_));
    to_->finish(facts);
  }

 private:
  const Analysis* analysis_;
  const std::function<void(const ReportData&)>* take_;
  int64_t begin_ns_ = 0;
};

Selection with_limits(Selection selection, const RunSettings& settings, bool has_file) {
  if (selection.max_events == UINT64_MAX) selection.max_events = settings.max_events;
  if (selection.max_bytes == UINT64_MAX) selection.max_bytes = settings.max_bytes;
  if (!has_file) selection.max_bytes = UINT64_MAX;
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

Result<std::unique_ptr<Capture>> open_capture(const std::string& path) {
  return Capture::open(path, known_kinds());
}

PipelineReport show_capture(Capture& capture, TraceSink& to, const PipelineOptions& options) {
  const RunSettings settings = read_run_settings(capture.manifest());
  const Selection selection =
      with_limits(options.selection, settings, static_cast<bool>(options.written));
  CountingSink counting(&to);
  std::unique_ptr<SelectionSink> selecting;
  if (!selection.is_everything()) {
    selecting = std::make_unique<SelectionSink>(counting, selection, options.written);
  }
  RunRow row(selecting ? static_cast<TraceSink&>(*selecting) : counting, to);
  const std::string limits = limits_in_words(selection);
  CutNote cut_note(row, selecting.get(), limits);
  Analysis analysis(options.analysis);
  ReportNote first(&cut_note, &analysis, &options.take_report);
  std::vector<ModelSink*> model_sinks;
  if (options.take_report) model_sinks.push_back(&analysis);

  PipelineReport report;
  report.walked =
      walk(capture, first,
           {.progress = options.progress,
            .dependency_arrows = options.dependency_arrows.value_or(settings.dependency_arrows),
            .may_load_libraries = options.may_load_libraries,
            .clock = options.clock,
            .pid = options.pid,
            .model_sinks = std::move(model_sinks)});
  report.losses = losses_of(capture, report.walked);
  report.damages = capture.damages().count();
  report.slices = counting.slices();
  report.begin_ns = row.begin_ns();
  report.end_ns = row.end_ns();
  if (selecting && selecting->is_cut()) {
    report.cut = fmt::format("cut at {:.6f} s by {}; {} events are not in it",
                             static_cast<double>(selecting->cut_after_ns()) / 1e9, limits,
                             selecting->left_out());
  }
  return report;
}

}  // namespace perseid
