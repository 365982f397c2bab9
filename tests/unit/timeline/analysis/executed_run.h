// tests/unit/timeline/analysis/executed_run.h: rows of a run that is written down as its
// executions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "timeline/model/batch.h"
#include "timeline/model/names.h"

namespace perseid::test {

inline constexpr ThreadId kProgram = 1000;  // no worker

struct Executed {
  std::string kind = "kind";
  WorkerId worker = 1;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t submitted_ns = 0;
  int64_t ready_ns = 0;
  int64_t taken_ns = -1;  // not recorded
  uint64_t footprint = 0;
  double predicted_ns = 0;
};

/// One task per execution, as StarPU's decoder reports them.
class ExecutedRun {
 public:
  WorkerId add_worker(WorkerKind kind = WorkerKind::kCpu) {
    kinds_.push_back(kind);
    return static_cast<WorkerId>(kinds_.size());
  }
  void add_workers(size_t count, WorkerKind kind = WorkerKind::kCpu) {
    while (count-- > 0) add_worker(kind);
  }
  void add(Executed executed) { executions_.push_back(std::move(executed)); }
  /// The scheduler works on it after its end, for this long.
  void set_completion(int64_t ns) { completion_ns_ = ns; }

  const std::vector<Executed>& executions() const noexcept { return executions_; }
  int64_t end_ns() const {
    int64_t end_ns = 0;
    for (const Executed& executed : executions_) end_ns = std::max(end_ns, executed.end_ns);
    return end_ns;
  }

  /// Sends all rows, in this many windows of equal length.
  void feed(ModelSink& sink, int64_t windows = 1) {
    const std::vector<StepRow> steps = make_steps();
    const std::vector<StretchRow> stretches = make_stretches();
    const int64_t end_ns = end_of(steps, stretches);
    size_t step = 0, stretch = 0;
    for (int64_t window = 1; window <= windows; ++window) {
      auto batch = std::make_shared<ModelBatch>();
      batch->names = &names_;
      batch->end_ns = window < windows ? end_ns / windows * window : end_ns;
      if (window == 1) batch->workers = make_workers();
      for (; step < steps.size() && steps[step].ns <= batch->end_ns; ++step)
        add(*batch, steps[step]);
      for (; stretch < stretches.size() && stretches[stretch].end_ns <= batch->end_ns; ++stretch) {
        batch->stretches.push_back(stretches[stretch]);
      }
      sink.take(batch);
    }
    sink.finish(names_);
  }

 private:
  void add(ModelBatch& batch, const StepRow& step) {
    const Executed& executed = executions_[step.task - 1];
    if (step.kind == StepKind::kSubmitted) {
      TaskRow row;
      row.id = step.task;
      row.kind = names_.of(executed.kind);
      row.runtime = Runtime::kStarpu;
      row.submitted_by = kProgram;
      batch.tasks.push_back(row);
    } else if (step.kind == StepKind::kEnd) {
      ExecutionRow row;
      row.task = step.task;
      row.worker = executed.worker;
      row.footprint = executed.footprint;
      row.predicted_ns = executed.predicted_ns;
      row.begin_ns = executed.begin_ns;
      row.end_ns = executed.end_ns;
      batch.executions.push_back(row);
    }
    batch.steps.push_back(step);
  }

  std::vector<WorkerRow> make_workers() const {
    std::vector<WorkerRow> rows;
    for (const WorkerKind kind : kinds_) {
      WorkerRow row;
      row.id = static_cast<WorkerId>(rows.size() + 1);
      row.kind = kind;
      rows.push_back(row);
    }
    return rows;
  }

  std::vector<StepRow> make_steps() const {
    std::vector<StepRow> steps;
    for (size_t i = 0; i < executions_.size(); ++i) {
      const Executed& executed = executions_[i];
      const auto step = [&](StepKind kind, int64_t ns) {
        StepRow row;
        row.task = i + 1;
        row.kind = kind;
        row.ns = ns;
        if (kind != StepKind::kSubmitted) row.worker = executed.worker;
        steps.push_back(row);
      };
      step(StepKind::kSubmitted, executed.submitted_ns);
      step(StepKind::kReady, executed.ready_ns);
      if (executed.taken_ns >= 0) step(StepKind::kTaken, executed.taken_ns);
      step(StepKind::kBegin, executed.begin_ns);
      step(StepKind::kEnd, executed.end_ns);
      step(StepKind::kFinished, executed.end_ns);
      step(StepKind::kRetired, executed.end_ns);
    }
    std::ranges::stable_sort(steps, {}, &StepRow::ns);
    return steps;
  }

  struct Change {
    int64_t ns;
    WorkerState state;
    TaskId task;
  };
  /// A worker works, is in the scheduler from `taken` to `begin` and after the end, or is idle.
  std::vector<StretchRow> make_stretches() const {
    std::map<WorkerId, std::vector<Change>> changes;
    std::vector<TaskId> order;
    for (TaskId task = 1; task <= executions_.size(); ++task) order.push_back(task);
    std::ranges::stable_sort(order, {},
                             [&](TaskId task) { return executions_[task - 1].begin_ns; });
    for (const TaskId task : order) {
      const Executed& executed = executions_[task - 1];
      std::vector<Change>& of = changes[executed.worker];
      const int64_t last_ns = of.empty() ? 0 : of.back().ns;
      // A device's pipeline: one execution begins before the one before it has ended.
      if (executed.begin_ns < last_ns) {
        of.back().ns = std::max(of.back().ns, executed.end_ns);
        continue;
      }
      if (executed.taken_ns >= 0) of.push_back({executed.taken_ns, WorkerState::kSchedule, task});
      of.push_back({executed.begin_ns, WorkerState::kWork, task});
      if (completion_ns_ > 0) {
        of.push_back({executed.end_ns, WorkerState::kSchedule, task});
        of.push_back({executed.end_ns + completion_ns_, WorkerState::kIdle, 0});
      } else {
        of.push_back({executed.end_ns, WorkerState::kIdle, 0});
      }
    }
    std::vector<StretchRow> rows;
    for (WorkerId worker = 1; worker <= kinds_.size(); ++worker) {
      StretchRow row;
      row.worker = worker;
      for (const Change& change : changes[worker]) {
        row.end_ns = change.ns;
        row.next = change.state;
        row.next_task = change.task;
        rows.push_back(row);
        row.begin_ns = change.ns;
        row.state = change.state;
        row.task = change.task;
      }
      row.end_ns = std::max(row.begin_ns, end_ns());
      row.is_last = true;
      rows.push_back(row);
    }
    std::ranges::stable_sort(rows, {}, &StretchRow::end_ns);
    return rows;
  }
  static int64_t end_of(const std::vector<StepRow>& steps, const std::vector<StretchRow>& rows) {
    const int64_t step_ns = steps.empty() ? 0 : steps.back().ns;
    return rows.empty() ? step_ns : std::max(step_ns, rows.back().end_ns);
  }

  NameIds names_;
  std::vector<WorkerKind> kinds_;
  std::vector<Executed> executions_;
  int64_t completion_ns_ = 0;
};

}  // namespace perseid::test
