// timeline/analysis/statistics.cpp: follows each task from its submission to its end.
#include "timeline/analysis/statistics.h"

#include <algorithm>
#include <cmath>

#include "timeline/analysis/sweep.h"
#include "timeline/model/names.h"

namespace perseid {
namespace {

/// Fewer say little about the others.
constexpr uint64_t kEnough = 30;
/// Executions of a class from which on one in eight is compared with those of other workers: one
/// more histogram for each worker is more than caches hold.
constexpr uint64_t kAllSamples = 2048;
/// Of shorter tasks the clock's own steps are a part of the time.
constexpr int64_t kShortest = 1000;
/// A hundred days, so that sums of what damaged captures have do not overflow.
constexpr int64_t kLongest = int64_t{1} << 53;
constexpr double kCrowded = 0.9;
constexpr double kAlone = 0.5;

size_t index_of(WorkerKind kind) { return static_cast<size_t>(kind); }

/// Different classes may have the same: the table goes on with the next number.
uint64_t class_key(uint32_t kind, WorkerKind on, uint64_t footprint) {
  uint64_t key = footprint * 0x9e3779b97f4a7c15;
  key ^= key >> 29;
  return (key ^ (uint64_t{kind} * kWorkerKinds + index_of(on))) * 0xbf58476d1ce4e5b9;
}

int64_t permille(double ratio) { return std::llround(1000 * ratio); }

}  // namespace

double TaskClass::contention() const noexcept {
  if (crowded.tasks < kEnough || alone.tasks < kEnough || alone.total_ns <= 0) return 0;
  const double busy = static_cast<double>(crowded.total_ns) / static_cast<double>(crowded.tasks);
  return busy / (static_cast<double>(alone.total_ns) / static_cast<double>(alone.tasks));
}

void Statistics::take(const BatchRef& batch) {
  batch_ = batch.get();
  next_execution_ = 0;
  for (const WorkerRow& row : batch_->workers) {
    describe(row);
    if (row.thread != 0) submitters_[row.thread].is_worker = true;
  }
  for (const TaskRow& row : batch_->tasks) {
    if (has_work(row)) submit(row);
  }
  latest_id_ = 0;
  latest_ = nullptr;
  sweep(*batch_, *this);
  batch_ = nullptr;
}

void Statistics::submit(const TaskRow& row) {
  if (free_open_.empty()) {
    free_open_.push_back(static_cast<uint32_t>(open_.size()));
    open_.emplace_back();
  }
  const uint32_t place = free_open_.back();
  free_open_.pop_back();
  open_[place] = Open{};
  open_[place].kind = kind_of(row.kind != 0 ? row.kind : row.name);
  open_[place].submitter = row.runtime == Runtime::kStarpu ? row.submitted_by : 0;
  open_ids_[row.id] = place;
}

void Statistics::retire(TaskId id) {
  if (const Open* const task = find(id)) {
    if (task->run != 0) free_runs_.push_back(task->run - 1);
    free_open_.push_back(static_cast<uint32_t>(task - open_.data()));
    open_ids_.erase(id);
  }
  latest_id_ = 0;
  latest_ = nullptr;
}

/// Its kind may become known later than the worker itself.
void Statistics::describe(const WorkerRow& row) {
  Worker& known = worker(row.id);
  if (known.is_known && (known.is_gone || known.kind == row.kind)) return;
  if (known.is_known) --crowds_[index_of(known.kind)].present_now;
  if (known.is_busy) --crowds_[index_of(known.kind)].busy_now;
  Crowd& crowd = crowds_[index_of(row.kind)];
  ++crowd.present_now;
  if (known.is_busy) ++crowd.busy_now;
  known.is_known = true;
  known.kind = row.kind;
}

Statistics::Worker& Statistics::worker(WorkerId id) {
  if (id >= workers_.size()) workers_.resize(id + 1);
  return workers_[id];
}

/// Names without end, each for one task, share a kind.
uint32_t Statistics::kind_of(NameId name) {
  if (name == latest_name_) return latest_kind_;
  if (const uint32_t* const known = kind_ids_.find(name)) {
    latest_name_ = name;
    return latest_kind_ = *known - 1;
  }
  if (open_kinds_.size() >= kMaxKinds) return static_cast<uint32_t>(kMaxKinds) - 1;
  OpenKind& made = open_kinds_.emplace_back();
  made.name = open_kinds_.size() < kMaxKinds ? name : 0;
  const auto place = static_cast<uint32_t>(open_kinds_.size());
  kind_ids_[name] = place;
  return place - 1;
}

TaskClass& Statistics::class_of(uint32_t kind, WorkerKind on, uint64_t footprint) {
  uint32_t& latest = open_kinds_[kind].latest_class[index_of(on)];
  if (latest != 0) {
    TaskClass& same = classes_[latest - 1];
    if (same.footprint == footprint && !same.is_rest) return same;
  }
  bool is_rest = false;
  for (;;) {
    uint64_t key = class_key(kind, on, is_rest ? ~footprint : footprint);
    for (uint32_t* place; (place = class_ids_.find(key)) != nullptr; ++key) {
      TaskClass& known = classes_[*place - 1];
      if (known.kind == kind && known.on == on && known.footprint == footprint &&
          known.is_rest == is_rest) {
        latest = *place;
        return known;
      }
    }
    if (!is_rest && classes_.size() >= kMaxClasses) {
      is_rest = true;  // one for the kind on these workers
      footprint = 0;
      continue;
    }
    TaskClass& made = classes_.emplace_back();
    made.kind = kind;
    made.on = on;
    made.footprint = footprint;
    made.is_rest = is_rest;
    latest = class_ids_[key] = static_cast<uint32_t>(classes_.size());
    return made;
  }
}

void Statistics::on(const RegionRow& row) {
  clock_.on(row, *batch_->names);
  if (row.kind != RegionKind::kParallel || row.end_ns == kNotYet) return;
  time_ns_ = std::max(time_ns_, clock_.at(row.end_ns));
  Crowd& crowd = crowds_[index_of(WorkerKind::kOpenmpThread)];
  crowd.advance(clock_.at(row.end_ns));
  crowd.busy_at_end_ns = crowd.busy_ns;
}

void Statistics::on(const WaitRow& row) {
  const int64_t counted_ns = clock_.at(row.end_ns == kNotYet ? row.begin_ns : row.end_ns);
  Submitter& thread = submitters_[row.thread];
  if (row.end_ns == kNotYet) {
    if (thread.open_waits++ == 0) thread.since_counted_ns = counted_ns;
  } else if (thread.open_waits > 0 && --thread.open_waits == 0) {
    thread.waited_ns += counted_ns - thread.since_counted_ns;
  }
  if (row.kind != WaitKind::kThrottle || row.end_ns == kNotYet) return;
  // The task whose submission was throttled did not wait for others meanwhile.
  Open* const held_back = find(thread.latest);
  if (held_back != nullptr && held_back->ready_ns == kUnknown && held_back->run == 0)
    held_back->submitted_ns = counted_ns;
}

/// How early a program that never waits would have submitted. What workers and threads of OpenMP
/// submit depends on the schedule: 0.
int64_t Statistics::submission_time(ThreadId thread, int64_t counted_ns) {
  if (thread == 0) return 0;
  const Submitter& submitter = submitters_[thread];
  if (submitter.is_worker) return 0;
  const int64_t waits_ns = submitter.open_waits > 0 ? counted_ns - submitter.since_counted_ns : 0;
  return counted_ns - submitter.waited_ns - waits_ns;
}

void Statistics::on(const StretchRow& row) {
  Worker& known = worker(row.worker);
  Crowd& crowd = crowds_[index_of(known.kind)];
  const int64_t counted_ns = clock_.at(row.end_ns);
  const int64_t duration_ns = counted_ns - known.since_counted_ns;
  known.since_counted_ns = counted_ns;
  crowd.advance(counted_ns);
  if (row.state == WorkerState::kWork) {
    known.has_worked = known.has_worked || duration_ns > 0;
    const bool is_thread = known.kind == WorkerKind::kOpenmpThread && row.task != 0;
    const Open* const task = is_thread ? find(row.task) : nullptr;
    if (task != nullptr && task->run != 0)
      runs_[task->run - 1].work_ns += row.end_ns - row.begin_ns;

  } else if (row.state == WorkerState::kSchedule && known.next_kind != 0) {
    // Its task may be gone by now: what follows an execution is a part of its cost.
    open_kinds_[known.next_kind - 1].overhead_ns[index_of(known.kind)] += duration_ns;
  }
  known.next_kind = 0;
  if (row.next == WorkerState::kSchedule && row.next_task != 0 && !row.is_last) {
    if (const Open* const task = find(row.next_task)) known.next_kind = task->kind + 1;
  }
  const bool is_busy = row.next == WorkerState::kWork && !row.is_last;
  if (is_busy && !known.is_busy) ++crowd.busy_now;
  if (!is_busy && known.is_busy) --crowd.busy_now;
  known.is_busy = is_busy;
  if (row.is_last && known.is_known && !known.is_gone) {
    known.is_gone = true;
    --crowd.present_now;
  }
}

void Statistics::on(const StepRow& row) {
  if (is_group(row.task)) return;
  switch (row.kind) {
    case StepKind::kFetch:
    case StepKind::kCallback:
    case StepKind::kSuspend:
    case StepKind::kResume:
    case StepKind::kFinished:
      return;
    case StepKind::kRetired:
      return retire(row.task);
    default:
      break;
  }
  Open* const task = find(row.task);
  if (task == nullptr) return;
  switch (row.kind) {
    case StepKind::kSubmitted:
      clock_.on_submission(row.ns);
      task->submitted_ns = clock_.at(row.ns);
      task->unhindered_ns = submission_time(task->submitter, task->submitted_ns);
      if (task->submitter != 0) submitters_[task->submitter].latest = row.task;
      break;
    case StepKind::kReady:
      task->ready_ns = clock_.at(row.ns);
      break;
    case StepKind::kTaken:
      task->taken_ns = clock_.at(row.ns);
      break;
    case StepKind::kBegin:
      begin(*task, row);
      break;
    case StepKind::kEnd:
      end(*task, row);
      break;
    default:
      break;
  }
}

void Statistics::begin(Open& task, const StepRow& row) {
  Crowd& crowd = crowds_[index_of(worker(row.worker).kind)];
  const int64_t counted_ns = clock_.at(row.ns);
  crowd.advance(counted_ns);
  const bool is_first = task.run == 0;
  if (is_first) {
    if (free_runs_.empty()) {
      free_runs_.push_back(static_cast<uint32_t>(runs_.size()));
      runs_.emplace_back();
    }
    task.run = free_runs_.back() + 1;
    free_runs_.pop_back();
  }
  runs_[task.run - 1] = {row.ns, counted_ns, 0, crowd.busy_ns, crowd.present_ns};
  if (!is_first) return;
  OpenKind& kind = open_kinds_[task.kind];
  if (task.submitted_ns == kUnknown || task.ready_ns == kUnknown) return;
  kind.wait_dependencies_ns += std::max<int64_t>(task.ready_ns - task.submitted_ns, 0);
  const int64_t taken_ns = task.taken_ns != kUnknown ? task.taken_ns : counted_ns;
  kind.wait_queue_ns += std::max<int64_t>(taken_ns - task.ready_ns, 0);
}

/// What is recorded of the execution itself comes first, then what its worker's stretches add up
/// to: without them a task that waits for others would have their time, too.
void Statistics::end(Open& task, const StepRow& row) {
  const ExecutionRow* execution = nullptr;
  if (next_execution_ < batch_->executions.size()) {
    const ExecutionRow& next = batch_->executions[next_execution_];
    if (next.task == row.task && next.worker == row.worker) {
      execution = &next;
      ++next_execution_;
    }
  }
  if (task.run == 0) return;
  Run& run = runs_[task.run - 1];
  const WorkerKind on = worker(row.worker).kind;
  int64_t duration_ns = std::max<int64_t>(row.ns - run.begin_ns, 0);
  if (execution != nullptr) {
    duration_ns = std::max<int64_t>(execution->end_ns - execution->begin_ns, 0);
  } else if (run.work_ns > 0) {
    duration_ns = std::min(duration_ns, run.work_ns);
  }
  run.work_ns = 0;
  duration_ns = std::min(duration_ns, kLongest);
  const int64_t counted_ns = clock_.at(row.ns);
  if (counted_ns - run.begin_counted_ns < row.ns - run.begin_ns) return;  // not all of it counts
  ++executions_;
  time_ns_ = std::max(time_ns_, counted_ns);

  TaskClass& known = class_of(task.kind, on, execution != nullptr ? execution->footprint : 0);
  known.durations.add(duration_ns);
  // An execution that a runtime reports late may be longer than its steps are apart.
  const int64_t latest_ns = std::min(task.unhindered_ns, counted_ns - duration_ns);
  known.latest_submit_ns = std::max(known.latest_submit_ns, latest_ns);
  if (execution != nullptr && execution->predicted_ns > 0) {
    ++known.predicted_tasks;
    known.predicted_ns += std::llround(execution->predicted_ns);
    const auto measured = static_cast<double>(std::max<int64_t>(duration_ns, 1));
    const double error = (execution->predicted_ns - measured) / measured;
    known.model_error += std::fabs(error);
    known.model_bias += error;
  }

  Crowd& crowd = crowds_[index_of(on)];
  crowd.advance(counted_ns);
  crowd.busy_at_end_ns = crowd.busy_ns;
  const auto present = static_cast<double>(crowd.present_ns - run.present_ns);
  const auto busy = static_cast<double>(crowd.busy_ns - run.busy_ns);
  if (busy >= kCrowded * present && present > 0) {
    ++known.crowded.tasks;
    known.crowded.total_ns += duration_ns;
  } else if (busy <= kAlone * present && present > 0) {
    ++known.alone.tasks;
    known.alone.total_ns += duration_ns;
  }
  // Of many equal tasks some are enough for a median.
  const bool is_sample =
      known.durations.count() <= kAllSamples || row.task * 0x9e3779b97f4a7c15 >> 61 == 0;
  if (!known.is_rest && is_sample) add_to_pair(known, row.worker, duration_ns);
}

void Statistics::add_to_pair(const TaskClass& of, WorkerId on, int64_t duration_ns) {
  const auto place = static_cast<uint32_t>(&of - classes_.data());
  const uint64_t key = uint64_t{place} << 32 | on;
  uint32_t* const known = pair_ids_.find(key);
  if (known != nullptr) return pairs_[*known - 1].durations.add(duration_ns);
  if (pairs_.size() >= kMaxPairs) return;
  // The first one is left out: it touches code and data for the first time.
  pairs_.push_back({place, on, {}});
  pair_ids_[key] = static_cast<uint32_t>(pairs_.size());
}

void Statistics::finish(const NameIds& names) {
  for (size_t i = 0; i < kWorkerKinds; ++i) {
    worker_totals_[i].workers = crowds_[i].max_present;
    worker_totals_[i].busy_ns = crowds_[i].busy_at_end_ns;
  }
  // Threads that never take part in anything are nobody's workers.
  const auto worked = std::ranges::count_if(workers_, [](const Worker& known) {
    return known.kind == WorkerKind::kOpenmpThread && known.has_worked;
  });
  WorkerTotals& threads = worker_totals_[index_of(WorkerKind::kOpenmpThread)];
  threads.workers = std::min(threads.workers, static_cast<uint32_t>(worked));
  find_outliers();
  fill_kinds(names);
  fill_speeds();
}

void Statistics::find_outliers() {
  for (TaskClass& known : classes_) {
    const int64_t median_ns = known.durations.median_ns();
    const int64_t third_ns = known.durations.quantile_ns(0.75);
    // A histogram knows no smaller distance than the width of its buckets.
    const int64_t range_ns = std::max(third_ns - known.durations.quantile_ns(0.25), third_ns / 64);
    const int64_t limit_ns = third_ns + range_ns + range_ns / 2;
    known.durations.for_each([&](int64_t ns, uint64_t count) {
      if (ns <= limit_ns) return;
      known.outliers += count;
      known.outlier_excess_ns += static_cast<int64_t>(count) * (ns - median_ns);
    });
  }
}

void Statistics::fill_kinds(const NameIds& names) {
  struct Sums {
    std::array<Histogram, kWorkerKinds> durations;
    std::array<double, kWorkerKinds> contention{};
    std::array<double, kWorkerKinds> contention_weight{};
    double error = 0;
    double bias = 0;
  };
  std::vector<Sums> sums(open_kinds_.size());
  kinds_.assign(open_kinds_.size(), {});
  for (const TaskClass& known : classes_) {
    KindStatistics& kind = kinds_[known.kind];
    Sums& sum = sums[known.kind];
    const size_t on = index_of(known.on);
    kind.on[on].outliers += known.outliers;
    kind.on[on].outlier_excess_ns += known.outlier_excess_ns;
    kind.predicted_tasks += known.predicted_tasks;
    sum.durations[on].add(known.durations);
    sum.error += known.model_error;
    sum.bias += known.model_bias;
    if (const double ratio = known.contention(); ratio > 0) {
      const auto weight = static_cast<double>(known.durations.sum_ns());
      sum.contention[on] += weight * ratio;
      sum.contention_weight[on] += weight;
    }
  }
  for (size_t i = 0; i < kinds_.size(); ++i) {
    KindStatistics& kind = kinds_[i];
    OpenKind& open = open_kinds_[i];
    open.text = i + 1 == kMaxKinds ? "(others)" : std::string(names.text(open.name));
    kind.kind = open.text;
    kind.wait_dependencies_ns = open.wait_dependencies_ns;
    kind.wait_queue_ns = open.wait_queue_ns;
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      const Histogram& durations = sums[i].durations[on];
      KindOnWorkers& there = kind.on[on];
      there.tasks = durations.count();
      there.total_ns = durations.sum_ns();
      there.median_ns = durations.median_ns();
      there.p95_ns = durations.quantile_ns(0.95);
      there.p99_ns = durations.quantile_ns(0.99);
      there.max_ns = durations.max_ns();
      there.overhead_ns = open.overhead_ns[on];
      if (sums[i].contention_weight[on] > 0) {
        there.contention_permille =
            permille(sums[i].contention[on] / sums[i].contention_weight[on]);
      }
      kind.tasks += there.tasks;
      kind.total_ns += there.total_ns;
    }
    if (kind.predicted_tasks > 0) {
      const auto tasks = static_cast<double>(kind.predicted_tasks);
      kind.model_error_permille = permille(sums[i].error / tasks);
      kind.model_bias_permille = permille(sums[i].bias / tasks);
    }
  }
  std::erase_if(kinds_, [](const KindStatistics& kind) { return kind.tasks == 0; });
  std::ranges::stable_sort(kinds_, std::greater{}, &KindStatistics::total_ns);
}

void Statistics::fill_speeds() {
  std::vector<Histogram> whole(classes_.size());
  for (const Pair& pair : pairs_) whole[pair.task_class].add(pair.durations);
  std::vector<std::vector<double>> ratios(workers_.size());
  std::vector<uint64_t> tasks(workers_.size());
  for (const Pair& pair : pairs_) {
    Histogram peers = whole[pair.task_class];
    peers.remove(pair.durations);
    if (pair.durations.count() < kEnough || peers.count() < kEnough) continue;
    if (peers.median_ns() < kShortest) continue;
    const auto peers_ns = static_cast<double>(peers.median_ns());
    ratios[pair.worker].push_back(static_cast<double>(pair.durations.median_ns()) / peers_ns);
    tasks[pair.worker] += pair.durations.count();
  }
  for (WorkerId id = 0; id < ratios.size(); ++id) {
    std::vector<double>& of = ratios[id];
    if (of.empty()) continue;
    std::ranges::sort(of);
    const double median = (of[of.size() / 2] + of[(of.size() - 1) / 2]) / 2;
    speeds_.push_back({id, static_cast<uint32_t>(of.size()), tasks[id], permille(median)});
  }
}

}  // namespace perseid
