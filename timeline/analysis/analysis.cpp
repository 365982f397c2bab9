// timeline/analysis/analysis.cpp: work of each worker within the window; the rest of its time has
// no cause yet.
#include "timeline/analysis/analysis.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "timeline/analysis/sweep.h"
#include "timeline/model/names.h"

namespace perseid {
namespace {

/// Less time than this, and the clock and the first touch of everything are what is measured.
constexpr int64_t kShortestNs = 1'000'000;
constexpr size_t kMaxPhases = 64;

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
    : options_(std::move(options)), windows_(options_.windows) {}

Analysis::Worker& Analysis::worker(WorkerId id) {
  if (workers_.size() < id) workers_.resize(id);
  return workers_[id - 1];
}

void Analysis::take(const BatchRef& batch) {
  names_ = batch->names;
  for (const WorkerRow& row : batch->workers) {
    if (row.id == 0) continue;
    Worker& known = worker(row.id);
    if (known.row.id == 0) known.since_ns = row.begin_ns;
    known.row = row;
  }
  sweep(*batch, *this);
  end_ns_ = std::max(end_ns_, batch->end_ns);
}

void Analysis::open_window(int64_t at_ns) {
  if (!first_ns_) first_ns_ = at_ns;
  last_ns_ = std::max(last_ns_, at_ns);
}

void Analysis::on(const StepRow& step) {
  if (step.kind == StepKind::kSubmitted) open_window(step.ns);
  if (step.kind != StepKind::kEnd) return;
  last_ns_ = std::max(last_ns_, step.ns);
  if (windows_.is_counted(step.ns)) ++tasks_;
}

void Analysis::on(const StretchRow& stretch) {
  if (stretch.worker == 0) return;
  Worker& of = worker(stretch.worker);
  if (stretch.state == WorkerState::kWork && first_ns_) {
    of.work_ns += windows_.counted(std::max(stretch.begin_ns, *first_ns_), stretch.end_ns);
    last_ns_ = std::max(last_ns_, stretch.end_ns);
  }
  of.since_ns = stretch.end_ns;
  of.state = stretch.is_last ? WorkerState::kIdle : stretch.next;
}

void Analysis::on(const WaitRow& wait) {
  if (wait.end_ns != kNotYet && wait.kind == WaitKind::kTasks && first_ns_) {
    last_ns_ = std::max(last_ns_, wait.end_ns);
  }
}

void Analysis::on(const RegionRow& region) {
  const bool begins = region.end_ns == kNotYet;
  if (region.kind == RegionKind::kParallel) open_window(begins ? region.begin_ns : region.end_ns);
  if (region.kind != RegionKind::kPhase || names_ == nullptr) return;
  const std::string name(names_->text(region.name));
  if (is_warm_up(name)) {
    begins ? windows_.begin_warm_up(region.begin_ns) : windows_.end_warm_up(region.end_ns);
  } else {
    begins ? begin_phase(name, region.begin_ns) : end_phase(name, region.end_ns);
  }
}

Analysis::WorkByKind Analysis::work_until(int64_t at_ns) const {
  WorkByKind work{};
  for (const Worker& one : workers_) {
    int64_t& sum = work[static_cast<size_t>(one.row.kind)];
    sum += one.work_ns;
    if (one.state == WorkerState::kWork && first_ns_) {
      sum += windows_.counted(std::max(one.since_ns, *first_ns_), at_ns);
    }
  }
  return work;
}

void Analysis::begin_phase(const std::string& name, int64_t at_ns) {
  auto phase = std::ranges::find(phases_, name, [](const Phase& of) { return of.time.name; });
  if (phase == phases_.end()) {
    if (phases_.size() == kMaxPhases) return;
    phase = phases_.insert(phases_.end(), Phase{});
    phase->time.name = name;
  }
  phase->begin_ns = at_ns;
  phase->before = work_until(at_ns);
}

void Analysis::end_phase(const std::string& name, int64_t at_ns) {
  const auto phase = std::ranges::find(phases_, name, [](const Phase& of) { return of.time.name; });
  if (phase == phases_.end() || phase->begin_ns == kNotYet) return;
  phase->time.time_ns += windows_.counted(phase->begin_ns, at_ns);
  const WorkByKind after = work_until(at_ns);
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    phase->time.labels[i][Label::kWork] += after[i] - phase->before[i];
  }
  phase->begin_ns = kNotYet;
}

bool Analysis::is_wanted(const Worker& of) const {
  return of.row.id != 0 && (options_.workers.empty() || matches(options_.workers, of.name));
}

void Analysis::finish(const NameIds& names) {
  for (Worker& one : workers_) one.name = names.text(one.row.name);
}

ReportData Analysis::result(const RunFacts& facts, int64_t begin_ns) const {
  ReportData data;
  const std::string_view exe = fact_text(facts, "exe");
  data.program = exe.substr(exe.find_last_of('/') + 1);
  data.job = fact_text(facts, "job");
  data.host = fact_text(facts, "host");
  data.policy = fact_text(facts, "starpu_policy");
  data.scope = options_.scope;
  data.tasks = tasks_;
  data.lost = number_of(facts, "lost") + number_of(facts, "nested");
  data.begin_ns = first_ns_.value_or(begin_ns);
  data.end_ns = std::max(last_ns_, data.begin_ns);
  data.time_ns = windows_.counted(data.begin_ns, data.end_ns);
  data.before_ns = std::max<int64_t>(0, data.begin_ns - begin_ns);
  data.after_ns = std::max<int64_t>(0, end_ns_ - data.end_ns);
  if (const int64_t left_out_ns = windows_.warm_up_ns(data.end_ns); left_out_ns > 0) {
    data.scope = "without the warm-up phases, " + milliseconds(left_out_ns);
  }

  uint64_t rank = number_of(facts, "rank");
  std::array<uint32_t, kWorkerKinds> workers{};
  for (const Worker& one : workers_) {
    if (!is_wanted(one)) continue;
    WorkerTime time{one.row.id, one.name, one.row.kind, static_cast<uint32_t>(rank), {}};
    time.labels[Label::kWork] = std::min(one.work_ns, data.time_ns);
    time.labels[Label::kUnexplained] = data.time_ns - time.labels[Label::kWork];
    data.workers.push_back(std::move(time));
    ++workers[static_cast<size_t>(one.row.kind)];
  }
  for (const Phase& phase : phases_) {
    if (phase.time.time_ns == 0) continue;
    PhaseTime& added = data.phases.emplace_back(phase.time);
    added.workers = workers;
    for (size_t i = 0; i < kWorkerKinds; ++i) {
      added.labels[i][Label::kUnexplained] =
          added.time_ns * workers[i] - added.labels[i][Label::kWork];
    }
  }
  if (!options_.workers.empty()) {  // these are about all workers together
    data.chain = {};
    data.bounds = {};
  }
  if (!options_.kinds.empty()) {
    std::erase_if(data.kinds, [this](const KindStatistics& kind) {
      return !matches(options_.kinds, kind.kind);
    });
  }
  add_doubts(data, facts);
  const uint64_t records = number_of(facts, "records");
  if (data.workers.empty()) {
    data.too_short = options_.workers.empty()
                         ? "no worker of StarPU and no thread of OpenMP was recorded"
                         : "no worker has such a name";
  } else if (data.lost > records) {
    data.too_short = fmt::format("{} lost and {} recorded: too damaged to judge",
                                 counted(data.lost, "event"), records);
  } else if (data.time_ns < kShortestNs) {
    data.too_short =
        counted(tasks_, "task") + " in " + milliseconds(data.time_ns) + " are too short to judge";
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
}

}  // namespace perseid
