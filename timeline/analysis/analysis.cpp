// timeline/analysis/analysis.cpp: puts the results of the analyses together, with what is wrong
// with them.
#include "timeline/analysis/analysis.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "timeline/analysis/bounds.h"
#include "timeline/model/names.h"

namespace perseid {
namespace {

/// Less time than this, and the clock and the first touch of everything are what is measured.
constexpr int64_t kShortestNs = 1'000'000;

uint64_t number_of(const RunFacts& facts, std::string_view key) {
  const std::string_view text = fact_text(facts, key);
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

std::string milliseconds(int64_t ns) {
  return fmt::format("{:.2f} ms", static_cast<double>(ns) / 1e6);
}

std::string counted(uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

Analysis::Analysis(AnalysisOptions options)
    : options_(std::move(options)),
      times_(options_.windows = tidy(std::move(options_.windows))),
      chain_(options_.chain_segments),
      statistics_(options_.windows) {
  times_.leave_out(is_warm_up);
  statistics_.leave_out(is_warm_up);
}

void Analysis::take(const BatchRef& batch) {
  times_.take(*batch);
  if (!is_narrowed()) chain_.take(*batch);
  statistics_.take(batch);
  end_ns_ = std::max(end_ns_, batch->end_ns);
}

void Analysis::finish(const NameIds& names) {
  times_.finish();
  if (!is_narrowed()) chain_.finish(names);
  statistics_.finish(names);
  for (const WorkerTimes::Worker& worker : times_.workers()) {
    worker_names_.emplace_back(names.text(worker.row.name));
  }
  for (const WorkerTimes::Phase& phase : times_.phases()) {
    phase_names_.emplace_back(names.text(phase.name));
  }
}

void Analysis::add_workers(ReportData& data, uint32_t rank) const {
  const std::vector<WorkerTimes::Worker> workers = times_.workers();
  for (size_t i = 0; i < workers.size(); ++i) {
    if (!options_.workers.empty() && !matches(options_.workers, worker_names_[i])) continue;
    const WorkerTimes::Worker& worker = workers[i];
    data.workers.push_back({worker.row.id, worker_names_[i], worker.row.kind, rank, worker.labels});
  }
}

void Analysis::add_phases(ReportData& data) const {
  for (size_t i = 0; i < phase_names_.size(); ++i) {
    const WorkerTimes::Phase& phase = times_.phases()[i];
    if (phase.time_ns <= 0) continue;
    PhaseTime& added = data.phases.emplace_back();
    added.name = phase_names_[i];
    added.time_ns = phase.time_ns;
    added.labels = phase.labels;
    for (const WorkerTimes::Worker& worker : times_.workers()) {
      ++added.workers[static_cast<size_t>(worker.row.kind)];
    }
    // Workers that were not there for all of it.
    for (size_t kind = 0; kind < kWorkerKinds; ++kind) {
      const int64_t missing = added.workers[kind] * added.time_ns - added.labels[kind].total();
      const bool is_openmp = kind == static_cast<size_t>(WorkerKind::kOpenmpThread);
      added.labels[kind][is_openmp ? Label::kSerial : Label::kStart] += missing;
    }
  }
}

/// What is about all workers and the whole time together.
void Analysis::add_whole_run(ReportData& data) const {
  const bool is_whole = !is_narrowed() && options_.workers.empty();
  if (is_whole && times_.left_out_phases() == 0) {
    data.chain = chain_.chain();
    chain_.fill_in(data.bounds);
  }
  data.kinds = statistics_.kinds();
  if (options_.workers.empty()) add_bounds(statistics_, data.bounds, data.kinds);
  for (KindStatistics& kind : data.kinds) {
    for (const KindTime& on_chain : data.chain.work) {
      if (on_chain.kind == kind.kind) kind.on_chain_ns = on_chain.ns;
    }
  }
  if (!options_.kinds.empty()) {
    std::erase_if(data.kinds, [this](const KindStatistics& kind) {
      return !matches(options_.kinds, kind.kind);
    });
  }
}

ReportData Analysis::result(const RunFacts& facts, int64_t begin_ns) const {
  ReportData data;
  const std::string_view exe = fact_text(facts, "exe");
  data.program = exe.substr(exe.find_last_of('/') + 1);
  data.job = fact_text(facts, "job");
  data.host = fact_text(facts, "host");
  data.policy = fact_text(facts, "starpu_policy");
  data.scope = options_.scope;
  data.tasks = times_.executed();
  data.lost = number_of(facts, "lost") + number_of(facts, "nested");
  data.time_ns = times_.time_ns();
  data.begin_ns = data.time_ns > 0 ? times_.begin_ns() : begin_ns;
  data.end_ns = std::max(times_.end_ns(), data.begin_ns);
  data.before_ns = std::max<int64_t>(0, data.begin_ns - begin_ns);
  data.after_ns = std::max<int64_t>(0, end_ns_ - data.end_ns);
  if (times_.left_out_ns() > 0) {
    data.scope = "without the warm-up phases, " + milliseconds(times_.left_out_ns());
  }
  add_workers(data, static_cast<uint32_t>(number_of(facts, "rank")));
  if (options_.workers.empty()) add_phases(data);
  add_whole_run(data);
  add_doubts(data, facts);
  if (std::string broken = broken_identity(data); !broken.empty()) {
    data.doubts.push_back({"inexact", "a fault of this report: " + broken});
  }
  const uint64_t records = number_of(facts, "records");
  if (data.workers.empty()) {
    data.too_short = options_.workers.empty()
                         ? "no worker of StarPU and no thread of OpenMP was recorded"
                         : "no worker has such a name";
  } else if (data.lost > records) {
    data.too_short = fmt::format("{} lost and {} recorded: too damaged to judge",
                                 counted(data.lost, "event"), records);
  } else if (data.time_ns < kShortestNs) {
    data.too_short = fmt::format("{} in {} are too short to judge", counted(data.tasks, "task"),
                                 milliseconds(data.time_ns));
  }
  return data;
}

void Analysis::add_doubts(ReportData& data, const RunFacts& facts) const {
  const auto doubt = [&](const char* id, std::string text) {
    data.doubts.push_back({id, std::move(text)});
  };
  if (data.lost > 0) doubt("lost", counted(data.lost, "event") + " lost: times are too small");
  if (const uint64_t damages = number_of(facts, "damages"); damages > 0) {
    doubt("damaged", counted(damages, "place") + " of the capture damaged");
  }
  if (const std::string_view kept = fact_text(facts, "kept"); !kept.empty()) {
    doubt("overwritten", "only " + std::string(kept));
  }
  if (const std::string_view end = fact_text(facts, "end"); !end.empty() && end != "finished") {
    doubt("end", "the program did not finish: " + std::string(end));
  }
  if (const std::string_view not_seen = fact_text(facts, "starpu_not_seen"); !not_seen.empty()) {
    doubt("starpu", "StarPU hides " + std::string(not_seen));
  }
  if (!data.chain.taint.empty()) doubt("chain", data.chain.taint);
  int64_t unexplained_ns = 0;
  for (const WorkerTime& worker : data.workers) {
    unexplained_ns += worker.labels[Label::kUnexplained];
  }
  if (unexplained_ns != 0) {
    doubt("unexplained", milliseconds(unexplained_ns) + " of the workers' time have no cause");
  }
}

}  // namespace perseid
