// timeline/analysis/starpu_causes.cpp: counts tasks by what they wait for, and submitters by what
// they do.
#include "timeline/analysis/starpu_causes.h"

namespace perseid {
namespace {

constexpr uint32_t kAllKinds = (1u << StarpuCauses::kKinds) - 1;

constexpr size_t place_of(Label cause) {
  return static_cast<size_t>(cause) - static_cast<size_t>(StarpuCauses::kFirst);
}

}  // namespace

void StarpuCauses::add_task(const TaskRow& row) {
  if (row.runtime != Runtime::kStarpu) return;
  Task& task = tasks_[row.id];
  task = {};
  task.kinds = row.worker_kinds & kAllKinds;
  if (task.kinds == 0) task.kinds = kAllKinds;
  task.has_work = has_work(row);
  if ((row.flags & (kTaskInternal | kTaskUnsubmitted)) == 0 && row.submitted_by != 0) {
    change_submitter(row.submitted_by, [](Submitter& thread) { thread.is_submitter = true; });
  }
}

void StarpuCauses::add_worker(const WorkerRow& row) {
  if (row.runtime != Runtime::kStarpu) return;
  const auto kind = static_cast<size_t>(row.kind);
  if (kind < kKinds && place_of_[kind] == 0) {
    kind_at_[kinds_++] = kind;
    place_of_[kind] = kinds_;
    set_causes();
  }
  if (row.thread == 0) return;
  change_submitter(row.thread, [](Submitter& thread) { thread.is_worker = true; });
}

template <class Change>
void StarpuCauses::change_submitter(ThreadId thread, Change&& change) {
  Submitter& submitter = submitters_[thread];
  const auto count = [&](uint32_t by) {
    if (!submitter.counts()) return;
    submitters_count_ += by;
    if (submitter.waits > 0) waiting_ += by;
    if (submitter.throttled > 0) throttled_ += by;
  };
  count(~0u);
  change(submitter);
  count(1);
  set_causes();
}

void StarpuCauses::enqueue(Task& task, int64_t at_ns) {
  if (task.state == State::kPending) --pending_;
  if (task.state == State::kQueued) return;
  task.state = State::kQueued;
  ++queued_;
  for (size_t kind = 0; kind < kKinds; ++kind) queued_for_[kind] += task.kinds >> kind & 1;
  has_been_ready_ = true;
  if (free_snapshots_.empty()) {
    free_snapshots_.push_back(static_cast<uint32_t>(snapshots_.size()));
    snapshots_.emplace_back();
  }
  task.snapshot = free_snapshots_.back() + 1;
  free_snapshots_.pop_back();
  Snapshot& snapshot = snapshots_[task.snapshot - 1];
  snapshot.ready_ns = at_ns;
  copy(snapshot.integrals);
}

void StarpuCauses::hold_back(ThreadId thread, bool is_held_back) {
  const Submitter* const submitter = submitters_.find(thread);
  Task* const task = submitter == nullptr ? nullptr : tasks_.find(submitter->latest);
  if (task == nullptr || !task->has_work) return;
  if (task->state != (is_held_back ? State::kPending : State::kHeldBack)) return;
  task->state = is_held_back ? State::kHeldBack : State::kPending;
  pending_ += is_held_back ? ~uint64_t{0} : 1;
}

/// It is neither pending nor queued any more.
void StarpuCauses::leave(Task& task) {
  if (!task.has_work || task.state == State::kTaken) return;
  if (task.state == State::kPending) {
    --pending_;
  } else if (task.state == State::kQueued) {
    --queued_;
    for (size_t kind = 0; kind < kKinds; ++kind) queued_for_[kind] -= task.kinds >> kind & 1;
    free_snapshots_.push_back(task.snapshot - 1);
    task.snapshot = 0;
  }
  task.state = State::kTaken;
}

bool StarpuCauses::on(const StepRow& step) {
  Task* const task = tasks_.find(step.task);
  if (task == nullptr) return false;
  const bool has_work = task->has_work;
  switch (step.kind) {
    case StepKind::kSubmitted:
      if (Submitter* const thread = submitters_.find(step.thread)) thread->latest = step.task;
      if (!has_work) return false;
      has_submitted_ = true;
      ++pending_;
      break;
    case StepKind::kReady:
      if (!has_work || task->state == State::kTaken) return has_work;
      enqueue(*task, step.ns);
      break;
    case StepKind::kTaken:
    case StepKind::kBegin:
      leave(*task);
      set_running(*task, true);
      break;
    case StepKind::kFinished:
      leave(*task);
      set_running(*task, false);
      break;
    case StepKind::kRetired:
      leave(*task);
      set_running(*task, false);
      tasks_.erase(step.task);
      break;
    default:
      return has_work;
  }
  set_causes();
  return has_work;
}

void StarpuCauses::set_running(Task& task, bool is_running) noexcept {
  if (!task.has_work || task.is_running == is_running) return;
  task.is_running = is_running;
  running_ += is_running ? 1 : ~uint64_t{0};
}

void StarpuCauses::on(const MessageRow& message) {
  if (!message.is_receive) return;
  if (message.end_ns == kNotYet) {
    receives_[message.id] = true;
  } else {
    receives_.erase(message.id);
  }
  set_causes();
}

void StarpuCauses::on(const WaitRow& wait) {
  if (wait.kind == WaitKind::kLock) return;
  const bool begins = wait.end_ns == kNotYet;
  if (wait.kind == WaitKind::kThrottle) hold_back(wait.thread, begins);
  change_submitter(wait.thread, [&](Submitter& thread) {
    const auto add = [begins](uint32_t& count) {
      if (begins) {
        ++count;
      } else if (count > 0) {
        --count;
      }
    };
    add(thread.waits);
    if (wait.kind == WaitKind::kThrottle) add(thread.throttled);
  });
}

Label StarpuCauses::cause_for(size_t kind) const noexcept {
  if (!has_been_ready_) return Label::kStart;
  if (queued_for_[kind] > 0) return Label::kElsewhere;
  if (queued_ > 0) return Label::kNoTaskForKind;
  // Where no task runs, no task can make another one ready.
  if (pending_ > 0 && running_ == 0 && receives_.size() > 0) return Label::kNetwork;
  if (pending_ > 0) return Label::kDependencies;
  if (submitters_count_ > waiting_ || submitters_count_ == 0) return Label::kSubmission;
  return throttled_ > 0 ? Label::kThrottled : Label::kProgramWaits;
}

void StarpuCauses::set_causes() noexcept {
  for (size_t i = 0; i < kinds_; ++i) causes_[i] = place_of(cause_for(kind_at_[i]));
}

void StarpuCauses::pass(int64_t ns) noexcept {
  for (size_t i = 0; i < kinds_; ++i) integrals_[i][causes_[i]] += ns;
}

uint32_t StarpuCauses::add_difference(const Integrals& from, const Integrals& to, WorkerKind kind,
                                      LabelSums& sums) const noexcept {
  const size_t of = place_of_[static_cast<size_t>(kind)] - 1;
  if (of >= kinds_) return 0;
  uint32_t changed = 0;
  for (size_t i = 0; i < kCauses; ++i) {
    const int64_t ns = to[of][i] - from[of][i];
    if (ns == 0) continue;
    const size_t label = static_cast<size_t>(kFirst) + i;
    sums[static_cast<Label>(label)] += ns;
    changed |= 1u << label;
  }
  return changed;
}

StarpuCauses::Readiness StarpuCauses::readiness(TaskId task) noexcept {
  const Task* const found = tasks_.find(task);
  if (found == nullptr || found->snapshot == 0) return {0, nullptr};
  const Snapshot& snapshot = snapshots_[found->snapshot - 1];
  return {snapshot.ready_ns, &snapshot.integrals};
}

}  // namespace perseid
