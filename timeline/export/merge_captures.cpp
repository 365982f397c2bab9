// timeline/export/merge_captures.cpp: walks the captures of all ranks into one timeline.
#include "timeline/export/merge_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_set>
#include <utility>

#include "capture/reader.h"
#include "timeline/export/job_rows.h"
#include "timeline/export/pipeline.h"
#include "timeline/export/run_settings.h"
#include "timeline/export/viewer_limit.h"
#include "timeline/report/report_json.h"
#include "timeline/sinks/forwarding_sink.h"
#include "timeline/walk/job.h"
#include "timeline/walk/job_clocks.h"
#include "timeline/writers/output_set.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

constexpr int64_t kWorryingErrorNs = 10'000;
constexpr size_t kMaxEndsListed = 8;

/// Gives the tracks of one capture after the other numbers of their own, and keeps the facts.
class JoinSink final : public ForwardingSink {
 public:
  using ForwardingSink::ForwardingSink;

  void begin_capture() { base_ = last_; }

  void track(const Track& track) override {
    Track moved = track;
    moved.id += base_;
    if (moved.parent != 0) moved.parent += base_;
    last_ = std::max(last_, moved.id);
    to_->track(moved);
  }
  void slice(const Slice& slice) override {
    Slice moved = slice;
    moved.track += base_;
    to_->slice(moved);
  }
  void counter(TrackId track, int64_t at_ns, double value) override {
    to_->counter(track + base_, at_ns, value);
  }
  void finish(const RunFacts& facts) override { facts_ = facts; }
  const RunFacts& facts() const noexcept { return facts_; }
  TrackId next_track() const noexcept { return last_ + 1; }

 private:
  TrackId base_ = 0;
  TrackId last_ = 0;
  RunFacts facts_;
};

std::string who(const CaptureHead& head) {
  const JobRank job = job_rank(head.manifest, head.state);
  return job.is_known ? fmt::format("rank {}", job.rank) : head.path;
}

/// The facts of several ranks, each by its scope.
class JoinedFacts {
 public:
  void add(const std::string& of, const RunFacts& facts) {
    for (const Fact& fact : facts) {
      switch (fact.scope) {
        case FactScope::kRun:
          if (find_fact(shared_, fact.key) == nullptr) shared_.push_back(fact);
          break;
        case FactScope::kRank:
          by_rank_.emplace_back(fmt::format("{}: {}", of, fact.key), fact.value, FactScope::kRank);
          break;
        case FactScope::kSum:
          add_to_sum(fact);
          break;
      }
    }
  }
  RunFacts take(const JoinReport& report) {
    RunFacts facts = std::move(shared_);
    const auto add = [&facts](std::string key, std::string value) {
      facts.emplace_back(std::move(key), std::move(value), FactScope::kRun);
    };
    add("captures", std::to_string(report.captures));
    add("machines", std::to_string(report.machines));
    for (const auto& [key, value] : sums_) {
      facts.emplace_back(key, std::to_string(value), FactScope::kSum);
    }
    if (report.losses.overwritten_bytes > 0) add("kept", describe_kept(report.losses));
    if (report.realtime_clocks > 0) {
      add("clock_error", "unknown: that of CLOCK_REALTIME");
    } else {
      add("clock_error_ns", std::to_string(report.clock_error_ns));
    }
    facts.insert(facts.end(), by_rank_.begin(), by_rank_.end());
    size_t number = 0;
    for (const std::string& why : report.unreadable) add(fmt::format("left_out_{}", ++number), why);
    return facts;
  }

 private:
  void add_to_sum(const Fact& fact) {
    auto sum = std::ranges::find(sums_, fact.key, &Sum::first);
    if (sum == sums_.end()) sum = sums_.insert(sums_.end(), {fact.key, 0});
    sum->second += std::strtoull(fact.value.c_str(), nullptr, 10);
  }

  using Sum = std::pair<std::string, uint64_t>;
  RunFacts shared_;
  RunFacts by_rank_;
  std::vector<Sum> sums_;  // in order of appearance, as all facts
};

/// In the order of ranks; what is no rank comes last, by its path.
std::vector<CaptureHead> read_heads(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::vector<CaptureHead> heads;
  for (const std::string& path : paths) heads.push_back(read_head(path));
  std::ranges::stable_sort(heads, {}, [](const CaptureHead& head) {
    const JobRank job = job_rank(head.manifest, head.state);
    return job.is_known ? uint64_t{job.rank} : UINT64_MAX;
  });
  return heads;
}

uint32_t free_pid(const CaptureHead& head, std::unordered_set<uint32_t>& taken) {
  const auto kernel_pid = static_cast<uint32_t>(head.manifest.get_number("pid"));
  uint32_t pid = shown_pid(job_rank(head.manifest, head.state), std::max(kernel_pid, 1u));
  while (!taken.insert(pid).second) ++pid;
  return pid;
}

}  // namespace

Result<JoinReport> join_captures(std::vector<std::string> paths, const JoinOptions& options) {
  const std::vector<CaptureHead> heads = read_heads(std::move(paths));
  const JobClocks clocks(heads);
  const Result<ChosenWriter> writer = choose_writer(options.out, options.special);
  if (!writer) return Error{writer.error()};
  Result<std::unique_ptr<OutputSet>> created = OutputSet::create({*writer}, true);
  if (!created) return Error{created.error()};
  OutputSet& outputs = **created;

  JoinSink sink(&outputs);
  JoinReport report;
  report.answer.ranks = 0;
  if (!heads.empty()) report.wanted_length = read_run_settings(heads.front().manifest).report;
  report.machines = clocks.machines();
  JoinedFacts facts;
  std::unordered_set<uint32_t> pids;
  const bool is_job = heads.size() > 1;
  JobRows job(heads.empty() ? Manifest{} : heads.front().manifest);
  if (is_job) {
    pids.insert(JobRows::kPid);
    sink.process(job.process());
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    const CaptureHead& head = heads[i];
    Result<std::unique_ptr<Capture>> opened = open_capture(head.path);
    if (!opened) {
      report.unreadable.push_back(opened.error());
      continue;
    }
    const ClockLine& clock = clocks.line_of(head);
    PipelineOptions way;
    if (is_job) way.clock = clock;
    way.pid = free_pid(head, pids);
    // Each rank may take as much as its own settings allow.
    way.written = [&outputs, before = outputs.bytes()] { return outputs.bytes() - before; };
    if (options.progress) {
      way.progress = [&](double share) {
        options.progress((static_cast<double>(i) + share) / static_cast<double>(heads.size()));
      };
    }
    way.take_report = [&](const ReportData& answer) { add(report.answer, answer); };
    sink.begin_capture();
    const PipelineReport shown = show_capture(**opened, sink, way);
    facts.add(who(head), sink.facts());
    job.add(
        {job_rank(head.manifest, head.state), way.pid, shown.begin_ns, shown.end_ns, sink.facts()});
    if (!shown.cut.empty()) report.cuts.push_back(fmt::format("{}: {}", who(head), shown.cut));
    ++report.captures;
    report.records += shown.walked.records;
    report.losses.add(shown.losses);
    report.damages += shown.damages;
    report.clock_error_ns = std::max(report.clock_error_ns, clock.error_ns());
    if (clock.source() == ClockSource::kRealtime) ++report.realtime_clocks;
    if ((*opened)->state().end != SessionEnd::kFinished) {
      report.ends.push_back(fmt::format("{}: {}", who(head), describe_end(**opened)));
    }
  }
  if (report.captures == 0) {
    return Error{report.unreadable.empty() ? "there is no capture to merge"
                                           : report.unreadable.front()};
  }
  // One capture alone is merged with nothing: clock and facts are as an export has them.
  const RunFacts all_facts = is_job ? facts.take(report) : sink.facts();
  if (is_job) job.write(outputs, sink.next_track(), all_facts);
  outputs.report(write_report_json(report.answer));
  outputs.finish(all_facts);
  report.file_bytes = outputs.file_bytes(0);
  const Result<std::string> name = outputs.commit(0);
  if (!name) return Error{name.error()};
  report.file = *name;
  return report;
}

std::string describe(const JoinReport& report) {
  const auto plural = [](uint64_t count) { return count == 1 ? "" : "s"; };
  std::string line =
      report.timelines > 0
          ? fmt::format("{} timeline{}", report.timelines, plural(report.timelines))
          : fmt::format("{} rank{}, {} events, {}", report.captures, plural(report.captures),
                        report.records, describe(report.losses));
  if (report.damages > 0) line += fmt::format(", {} damaged places", report.damages);
  if (report.machines > 1 && report.realtime_clocks == 0) {
    line +=
        fmt::format(", clocks within {:.1f} us", static_cast<double>(report.clock_error_ns) / 1000);
  }
  return line + fmt::format(", {:.1f} MiB in {}",
                            static_cast<double>(report.file_bytes) / (1024 * 1024), report.file);
}

std::vector<std::string> warnings(const JoinReport& report) {
  std::vector<std::string> lines = report.unreadable;
  if (is_too_large_to_view(report.file, report.file_bytes)) {
    lines.push_back(fmt::format(
        "{} is likely too large for ui.perfetto.dev; look at the ranks' own timelines{}",
        report.file, report.file.ends_with(".pftrace") ? "" : ", or merge into a .pftrace"));
  }
  if (report.realtime_clocks > 0) {
    lines.push_back(fmt::format(
        "the clocks of {} ranks on {} machines were compared by CLOCK_REALTIME only: arrows "
        "between them may be wrong by more than 10 us",
        report.realtime_clocks, report.machines));
  } else if (report.clock_error_ns > kWorryingErrorNs) {
    lines.push_back(
        fmt::format("the clocks of the machines are known to {:.1f} us only, more than 10 us",
                    static_cast<double>(report.clock_error_ns) / 1000));
  }
  for (size_t i = 0; i < std::min(report.cuts.size(), kMaxEndsListed); ++i) {
    lines.push_back(report.cuts[i]);
  }
  if (report.cuts.size() > kMaxEndsListed) {
    lines.push_back(fmt::format("and {} more ranks are cut; the timeline's facts name them",
                                report.cuts.size() - kMaxEndsListed));
  }
  for (size_t i = 0; i < std::min(report.ends.size(), kMaxEndsListed); ++i) {
    lines.push_back(report.ends[i]);
  }
  if (report.ends.size() > kMaxEndsListed) {
    lines.push_back(fmt::format("and {} more ranks did not finish; the timeline's facts name them",
                                report.ends.size() - kMaxEndsListed));
  }
  return lines;
}

}  // namespace perseid
