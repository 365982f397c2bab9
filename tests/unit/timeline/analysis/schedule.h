// tests/unit/timeline/analysis/schedule.h: a run that a test makes up, as rows of the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline/model/batch.h"
#include "timeline/model/names.h"
#include "timeline/model/rows.h"

namespace perseid::test {

/// The main thread. Worker w, from 1, has thread 100 + w.
inline constexpr ThreadId kMain = 1;
inline constexpr ThreadId thread_of_worker(WorkerId worker) { return 100 + worker; }

struct PlannedTask {
  static constexpr int64_t kDefault = -1;

  std::string name = "task";
  WorkerId worker = 1;  // 0: it is never executed
  int64_t submit_ns = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  std::vector<TaskId> after = {};         // must be planned before
  std::vector<size_t> after_groups = {};  // as Schedule::add_group() gave them
  int64_t ready_ns = kDefault;            // when it is submitted and all before it have ended
  int64_t taken_ns = kDefault;            // when it begins
  int64_t fetch_ns = kDefault;            // it does not wait for data
  ThreadId submitted_by = kMain;
  TaskId parent = 0;
  uint32_t flags = 0;
  uint32_t worker_kinds = 0;
  Runtime runtime = Runtime::kStarpu;
  bool has_begin = true;  // false: the record is lost
};

/// Tasks of StarPU bring the stretches of their workers. Threads of OpenMP need set_states().
class Schedule {
 public:
  struct State {
    int64_t begin_ns = 0;
    WorkerState state = WorkerState::kIdle;
    TaskId task = 0;
  };

  explicit Schedule(size_t workers, WorkerKind kind = WorkerKind::kCpu) {
    for (size_t i = 0; i < workers; ++i) add_worker(kind);
  }
  WorkerId add_worker(WorkerKind kind, int64_t begin_ns = 0);

  TaskId add(PlannedTask task) {
    tasks_.push_back(std::move(task));
    return tasks_.size();
  }
  /// Tasks that others wait for together.
  size_t add_group(std::vector<TaskId> members) {
    groups_.push_back(std::move(members));
    return groups_.size() - 1;
  }
  void add_wait(WaitKind kind, int64_t begin_ns, int64_t end_ns, ThreadId thread = kMain,
                uint64_t object = 0);
  void add_region(uint64_t number, int64_t begin_ns, int64_t end_ns, uint32_t size, ThreadId thread,
                  const std::string& name);
  /// What the worker does from each time on; the last one is its end.
  void set_states(WorkerId worker, const std::vector<State>& states);

  /// Gives everything to `sink`, in batches of this many events, and finishes it.
  void feed(ModelSink& sink, size_t events_per_batch = 1000);

  /// With its defaults filled in by feed().
  const PlannedTask& task(TaskId id) const { return tasks_[id - 1]; }
  const std::vector<PlannedTask>& tasks() const { return tasks_; }
  const NameIds& names() const { return names_; }

 private:
  struct Event;
  void fill_in();
  void plan_stretches();
  std::vector<Event> events() const;

  NameIds names_;
  std::vector<WorkerRow> workers_;
  std::vector<PlannedTask> tasks_;
  std::vector<std::vector<TaskId>> groups_;
  std::vector<WaitRow> waits_;
  std::vector<RegionRow> regions_;
  std::vector<StretchRow> stretches_;
};

}  // namespace perseid::test
