// timeline/export/narrowing.cpp: finds the ranges that were named, then analyses what is in them.
#include "timeline/export/narrowing.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "timeline/analysis/windows.h"
#include "timeline/export/pipeline.h"
#include "timeline/model/names.h"
#include "timeline/sinks/no_drawing.h"

namespace perseid {
namespace {

class RangeFinder final : public ModelSink {
 public:
  void take(const BatchRef& batch) override {
    for (const RegionRow& row : batch->regions) {
      if (row.end_ns == kNotYet) continue;
      if (row.kind == RegionKind::kPhase) {
        phases_.push_back({{row.begin_ns, row.end_ns}, std::string(batch->names->text(row.name))});
      } else if (row.kind == RegionKind::kIteration) {
        iterations_.push_back({{row.begin_ns, row.end_ns}, row.number});
      }
    }
  }
  void finish(const NameIds&) override {}

  std::vector<TimeWindow> of_phase(const std::string& name) const {
    std::vector<TimeWindow> ranges;
    for (const auto& [range, phase] : phases_) {
      if (phase == name) ranges.push_back(range);
    }
    return ranges;
  }
  std::vector<TimeWindow> of_iterations(const std::pair<uint64_t, uint64_t>& wanted) const {
    std::vector<TimeWindow> ranges;
    for (const auto& [range, number] : iterations_) {
      if (number >= wanted.first && number <= wanted.second) ranges.push_back(range);
    }
    return ranges;
  }
  std::vector<std::string> phases() const {
    std::vector<std::string> names;
    for (const auto& phase : phases_) names.push_back(phase.second);
    return names;
  }
  std::string iterations() const {
    if (iterations_.empty()) return "the run has none";
    const auto [first, last] = std::ranges::minmax_element(
        iterations_, {}, [](const auto& iteration) { return iteration.second; });
    return fmt::format("there are {} to {}", first->second, last->second);
  }

 private:
  std::vector<std::pair<TimeWindow, std::string>> phases_;
  std::vector<std::pair<TimeWindow, uint64_t>> iterations_;
};

std::vector<TimeWindow> intersection(const std::vector<TimeWindow>& a,
                                     const std::vector<TimeWindow>& b) {
  std::vector<TimeWindow> both;
  for (const TimeWindow& one : a) {
    for (const TimeWindow& other : b) {
      const TimeWindow range{std::max(one.begin_ns, other.begin_ns),
                             std::min(one.end_ns, other.end_ns)};
      if (range.begin_ns < range.end_ns) both.push_back(range);
    }
  }
  return both;
}

Error no_phase(const std::string& wanted, std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::string known;
  for (const std::string& name : names)
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", name);
  return Error{known.empty()
                   ? fmt::format("no phase is called \"{}\": the program named none, see "
                                 "perseid_phase() in perseid.h",
                                 wanted)
                   : fmt::format("no phase is called \"{}\"; there are {}", wanted, known)};
}

std::string seconds(int64_t ns) { return fmt::format("{:.9g} s", static_cast<double>(ns) / 1e9); }

/// What is narrowed to, in words.
std::string scope_of(const Narrowing& narrowing) {
  std::string words;
  const auto add = [&words](std::string more) {
    words += fmt::format("{}{}", words.empty() ? "" : ", ", more);
  };
  const auto list = [](const std::vector<std::string>& names) {
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : " and ") + name;
    return joined;
  };
  if (narrowing.phase) add(fmt::format("phase {}", *narrowing.phase));
  if (narrowing.iterations) {
    const auto [first, last] = *narrowing.iterations;
    add(first == last ? fmt::format("iteration {}", first)
                      : fmt::format("iterations {} to {}", first, last));
  }
  if (narrowing.from_ns != 0) add("from " + seconds(narrowing.from_ns));
  if (narrowing.to_ns != INT64_MAX) add("to " + seconds(narrowing.to_ns));
  if (!narrowing.workers.empty()) add("worker " + list(narrowing.workers));
  if (!narrowing.kinds.empty()) add("tasks of kind " + list(narrowing.kinds));
  return words;
}

Result<std::vector<TimeWindow>> find_ranges(const std::string& path, const Narrowing& narrowing) {
  Result<std::unique_ptr<Capture>> opened = open_capture(path);
  if (!opened) return Error{opened.error()};
  RangeFinder finder;
  NoDrawing nothing;
  WalkOptions options;
  options.model_sinks = {&finder};
  const int64_t begin_ns = walk(**opened, nothing, options).begin_ns;
  const auto after_begin = [begin_ns](int64_t ns) {
    return ns > INT64_MAX - begin_ns ? INT64_MAX : begin_ns + ns;
  };
  std::vector<TimeWindow> ranges = {{after_begin(narrowing.from_ns), after_begin(narrowing.to_ns)}};
  if (narrowing.phase) {
    const std::vector<TimeWindow> found = finder.of_phase(*narrowing.phase);
    if (found.empty()) return no_phase(*narrowing.phase, finder.phases());
    ranges = intersection(ranges, found);
  }
  if (narrowing.iterations) {
    const std::vector<TimeWindow> found = finder.of_iterations(*narrowing.iterations);
    if (found.empty())
      return Error{fmt::format("there are no such iterations: {}", finder.iterations())};
    ranges = intersection(ranges, found);
  }
  if (ranges.empty()) return Error{"nothing is left: the parts asked for have no time in common"};
  return ranges;
}

}  // namespace

Result<ReportData> report_capture(const std::string& path, const Narrowing& narrowing,
                                  const std::function<void(double)>& progress) {
  AnalysisOptions analysis;
  if (narrowing.is_of_time()) {
    Result<std::vector<TimeWindow>> ranges = find_ranges(path, narrowing);
    if (!ranges) return Error{ranges.error()};
    analysis.windows = std::move(*ranges);
  }
  analysis.workers = narrowing.workers;
  analysis.kinds = narrowing.kinds;
  analysis.scope = scope_of(narrowing);
  Result<std::unique_ptr<Capture>> opened = open_capture(path);
  if (!opened) return Error{opened.error()};
  ReportData report;
  NoDrawing nothing;
  PipelineOptions options;
  options.progress = progress;
  options.analysis = std::move(analysis);
  options.take_report = [&report](const ReportData& data) { report = data; };
  show_capture(**opened, nothing, options);
  return report;
}

Result<ReportData> report_of_phase(const ReportData& whole, const std::string& phase) {
  const auto found = std::ranges::find(whole.phases, phase, &PhaseTime::name);
  if (found == whole.phases.end()) {
    std::vector<std::string> names;
    for (const PhaseTime& known : whole.phases) names.push_back(known.name);
    return no_phase(phase, std::move(names));
  }
  ReportData part;
  part.program = whole.program;
  part.job = whole.job;
  part.host = whole.host;
  part.hosts = whole.hosts;
  part.policy = whole.policy;
  part.ranks = whole.ranks;
  part.lost = whole.lost;
  part.scope = "phase " + phase;
  part.time_ns = found->time_ns;
  part.sums = *found;
  part.doubts = whole.doubts;
  part.doubts.push_back(
      {"timeline", "from a timeline: tasks and chain of the phase are not known"});
  return part;
}

}  // namespace perseid
