// timeline/model/worker_states.cpp: writes a stretch when the next one begins.
#include "timeline/model/worker_states.h"

#include <algorithm>

namespace perseid {

WorkerId WorkerStates::add(int64_t at_ns) {
  workers_.push_back({at_ns, at_ns, 0, WorkerState::kIdle, false});
  return static_cast<WorkerId>(workers_.size());
}

void WorkerStates::change(WorkerId worker, Worker& now, WorkerState state, int64_t at_ns,
                          TaskId task, bool is_last) {
  at_ns = std::max(at_ns, now.since_ns);
  rows_->add(StretchRow{now.since_ns, at_ns, now.task, task, worker, now.state, state, is_last});
  now.since_ns = at_ns;
  now.state = state;
  now.task = task;
}

void WorkerStates::end(WorkerId worker, int64_t at_ns) {
  if (worker == 0 || workers_[worker - 1].is_gone) return;
  Worker& now = workers_[worker - 1];
  change(worker, now, now.state, at_ns, now.task, true);
  now.is_gone = true;
}

void WorkerStates::finish(int64_t at_ns) {
  for (WorkerId worker = 1; worker <= workers_.size(); ++worker) end(worker, at_ns);
}

}  // namespace perseid
