// timeline/analysis/openmp_causes.cpp: counts tasks, regions and arrivals at barriers.
#include "timeline/analysis/openmp_causes.h"

#include <algorithm>

namespace perseid {

void OpenmpCauses::add_task(const TaskRow& row) {
  if (row.runtime != Runtime::kOpenmp) return;
  Task& task = tasks_[row.id];
  task = {};
  task.has_work = (row.flags & kTaskWithoutWork) == 0;
}

void OpenmpCauses::set(Task& task, State state) {
  if (!task.has_work) return;
  if (task.state == State::kQueued) --queued_;
  if (task.state == State::kBlocked) --blocked_;
  task.state = state;
  if (state == State::kQueued) ++queued_;
  if (state == State::kBlocked) ++blocked_;
}

void OpenmpCauses::set_running(Task& task, bool is_running) {
  if (task.is_running == is_running || !task.has_work) return;
  task.is_running = is_running;
  running_ += is_running ? 1 : ~uint64_t{0};
}

void OpenmpCauses::change(Task& task, const StepRow& step) {
  switch (step.kind) {
    case StepKind::kSubmitted:
      set(task, State::kBlocked);
      if (step.thread != 0) {
        Thread& creator = threads_[step.thread];
        if (!creator.is_creator) ++creators_;
        creator.is_creator = true;
      }
      return;
    case StepKind::kReady:
      if (task.state != State::kTaken) set(task, State::kQueued);
      return;
    case StepKind::kBlocked:
      if (task.state != State::kTaken) set(task, State::kBlocked);
      return;
    case StepKind::kBegin:
    case StepKind::kResume:
      set(task, State::kTaken);
      return set_running(task, true);
    case StepKind::kSuspend:
    case StepKind::kEnd:
      return set_running(task, false);
    case StepKind::kFinished:
    case StepKind::kRetired:
      set(task, State::kTaken);
      set_running(task, false);
      if (step.kind == StepKind::kRetired) tasks_.erase(step.task);
      return;
    default:
      return;
  }
}

void OpenmpCauses::on(const WaitRow& wait) {
  if (wait.kind != WaitKind::kBarrier || wait.end_ns != kNotYet) return;
  Thread& thread = threads_[wait.thread];
  if (thread.region != wait.object) thread = {wait.object, 0, thread.is_creator};
  const uint64_t number = ++thread.barriers;
  Region* const region = regions_.find(wait.object);
  if (region == nullptr) return;
  Barrier& barrier = region->barriers[number & 1];
  if (barrier.number != number) barrier = {number, 0, kNotYet, 0};
  if (++barrier.arrived != region->size) return;
  barrier.complete_ns = wait.begin_ns;
  barrier.nothing = integrals_.nothing;
}

void OpenmpCauses::on(const RegionRow& region) {
  if (region.kind != RegionKind::kParallel) return;
  if (region.end_ns != kNotYet) {
    regions_.erase(region.number);
    return;
  }
  has_regions_ = true;
  if (regions_.find(region.number) == nullptr) latest_begin_ns_ = region.begin_ns;
  regions_[region.number].size = region.size;
}

void OpenmpCauses::set_state(ThreadId thread, WorkerState state) {
  if (state == WorkerState::kWork || state == WorkerState::kLock) return;
  Thread* const known = threads_.find(thread);
  if (known == nullptr || !known->is_creator) return;
  known->is_creator = false;
  --creators_;
}

void OpenmpCauses::pass(int64_t ns) noexcept {
  if (queued_ > 0) {
    integrals_.queued += ns;
  } else if (blocked_ > 0) {
    integrals_.blocked += ns;
  } else if (creators_ > 0 && has_regions_) {
    integrals_.creation += ns;
  } else if (running_ > 0) {
    integrals_.running += ns;
  } else {
    integrals_.nothing += ns;
  }
  if (regions_.size() > 0) integrals_.in_region += ns;
}

const OpenmpCauses::Barrier* OpenmpCauses::barrier_of(ThreadId thread) {
  const Thread* const known = threads_.find(thread);
  if (known == nullptr) return nullptr;
  const Region* const region = regions_.find(known->region);
  if (region == nullptr) return nullptr;
  const Barrier& barrier = region->barriers[known->barriers & 1];
  return barrier.number == known->barriers ? &barrier : nullptr;
}

void OpenmpCauses::add_causes(const Integrals& from, int64_t from_ns, const Integrals& to,
                              int64_t to_ns, ThreadId thread, WorkerState state, WorkerState next,
                              LabelSums& sums) {
  const int64_t in_all = to.queued - from.queued + to.blocked - from.blocked + to.creation -
                         from.creation + to.running - from.running + to.nothing - from.nothing;
  if (state == WorkerState::kIdle) {
    // The region that it takes part in began last.
    const int64_t joined_ns =
        next == WorkerState::kIdle ? to_ns : std::max(from_ns, latest_begin_ns_);
    const int64_t fork_ns =
        std::clamp<int64_t>(to_ns - joined_ns, 0, std::min(in_all, to.in_region - from.in_region));
    sums[Label::kForkJoin] += fork_ns;
    sums[Label::kSerial] += in_all - fork_ns;
    return;
  }
  sums[Label::kLatency] += to.queued - from.queued;
  sums[Label::kDependencies] += to.blocked - from.blocked;
  sums[Label::kCreation] += to.creation - from.creation;
  const int64_t running = to.running - from.running;
  const int64_t nothing = to.nothing - from.nothing;
  if (state == WorkerState::kTaskwait) {
    sums[Label::kDependencies] += running;
    sums[Label::kBarrier] += nothing;
    return;
  }
  sums[Label::kImbalance] += running;
  const Barrier* const barrier = barrier_of(thread);
  int64_t others = nothing;  // until the last one arrived
  if (barrier != nullptr && barrier->complete_ns <= from_ns) others = 0;
  if (barrier != nullptr && barrier->complete_ns > from_ns && barrier->complete_ns <= to_ns) {
    others = std::clamp<int64_t>(barrier->nothing - from.nothing, 0, nothing);
  }
  sums[Label::kImbalance] += others;
  sums[Label::kBarrier] += nothing - others;
}

}  // namespace perseid
