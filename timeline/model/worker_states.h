// timeline/model/worker_states.h: what each worker is doing, without gaps from its first to its
// last nanosecond.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/model/rows_builder.h"

namespace perseid {

class WorkerStates {
 public:
  explicit WorkerStates(RowsBuilder& rows) : rows_(&rows) {}

  /// A new worker, which is idle from `at_ns` on. describe() it next.
  WorkerId add(int64_t at_ns);
  /// What is known of it, again when more is. When it began is filled in.
  void describe(WorkerRow row) {
    row.begin_ns = workers_[row.id - 1].begin_ns;
    rows_->add(row);
  }

  void set(WorkerId worker, WorkerState state, int64_t at_ns, TaskId task = 0) {
    if (worker == 0) return;
    Worker& now = workers_[worker - 1];
    if ((now.state == state && now.task == task) || now.is_gone) return;
    change(worker, now, state, at_ns, task);
  }
  WorkerState state(WorkerId worker) const noexcept {
    return worker != 0 ? workers_[worker - 1].state : WorkerState::kIdle;
  }
  TaskId task(WorkerId worker) const noexcept {
    return worker != 0 ? workers_[worker - 1].task : 0;
  }
  /// No more of it comes.
  void end(WorkerId worker, int64_t at_ns);
  /// Ends all that still run.
  void finish(int64_t at_ns);

 private:
  struct Worker {
    int64_t begin_ns = 0;
    int64_t since_ns = 0;
    TaskId task = 0;
    WorkerState state = WorkerState::kIdle;
    bool is_gone = false;
  };

  void change(WorkerId worker, Worker& now, WorkerState state, int64_t at_ns, TaskId task,
              bool is_last = false);

  RowsBuilder* rows_;
  std::vector<Worker> workers_;
};

}  // namespace perseid
