// timeline/analysis/chain_threads.cpp: chains of threads that submit, and of OpenMP's threads.
//
// A thread's chain goes on while it works. Where it has waited, it continues what it waited for:
//
//   begin of a region   o--- work ---|  barrier  |--- work ...
//                        \                      /
//   another thread        o--- more work ------o          the last one to arrive
#include <algorithm>

#include "timeline/analysis/chain.h"

namespace perseid {
namespace {

constexpr uint64_t kNoRegion = ~uint64_t{0};

}  // namespace

uint32_t ChainAnalysis::thread_of(ThreadId id) {
  if (const uint32_t* const known = thread_by_id_.find(id)) return *known;
  const auto made = static_cast<uint32_t>(threads_.size());
  threads_.emplace_back();
  thread_by_id_[id] = made;
  return made;
}

bool ChainAnalysis::is_worker_of_starpu(const Thread& thread) const noexcept {
  return thread.worker != 0 && !thread.is_openmp;
}

ChainNodes::Activity ChainAnalysis::activity_of(const Thread& thread) const noexcept {
  Activity activity;
  activity.worker = thread.worker;
  switch (thread.state) {
    case WorkerState::kLock:
      activity.label = ChainLabel::kLock;
      return activity;
    case WorkerState::kSchedule:
    case WorkerState::kFetch:
      activity.label = ChainLabel::kScheduler;
      return activity;
    default:
      break;
  }
  activity.label = ChainLabel::kWork;
  if (thread.life != kNone && lives_[thread.life].id == thread.task) {
    return work_of(lives_[thread.life], thread.worker);
  }
  if (thread.region != kNone) {
    activity.kind = activity.name = regions_[thread.region].name;
  } else if (thread.task == 0) {
    activity.label = thread.submits_to_starpu ? ChainLabel::kSubmission : ChainLabel::kSerial;
  }
  return activity;
}

/// The chain of a thread at work goes on to `at_ns`. That of one that waits has to wait, too.
void ChainAnalysis::settle(Thread& thread, int64_t at_ns) {
  Ref& node = thread.latest.node;
  if (node == kNone) nodes_.assign(node, root_);
  if (IdleWorkers::is_idle(thread.state) || thread.since_ns >= at_ns) return;
  if (nodes_.end_ns(node) >= at_ns) return;
  // It is not known what ended the wait.
  nodes_.extend(node, std::min(thread.since_ns, at_ns),
                {ChainLabel::kScheduler, 0, 0, thread.worker, 0});
  const int64_t from_ns = nodes_.end_ns(node);
  const Activity activity = activity_of(thread);
  nodes_.extend(node, at_ns, activity);
  LatestWork& latest = thread.latest;
  if (nodes_.work_begin_ns(node) == from_ns) {
    latest.begin_idle = from_ns == thread.since_ns ? thread.since_idle : latest.end_idle;
  }
  latest.end_idle = idle_.read(at_ns);
  if (activity.label == ChainLabel::kWork && activity.task != 0) {
    add_to_span(lives_[thread.life], at_ns - from_ns);
  }
}

void ChainAnalysis::set_state(Thread& thread, WorkerState state, TaskId task, int64_t at_ns) {
  thread.state = state;
  thread.task = task;
  thread.life = task != 0 ? find_life(task) : kNone;
  thread.since_ns = at_ns;
  thread.since_idle = idle_.read(at_ns);
}

/// Held by the thread that owns the place, not by the caller.
ChainAnalysis::Place ChainAnalysis::place_of(uint32_t at, int64_t at_ns, Runtime runtime) {
  Thread& thread = threads_[at];
  if (is_worker_of_starpu(thread)) {
    Worker& worker = workers_[thread.worker];
    if (!worker.open.empty()) {
      const Execution& execution = worker.open.back();
      const uint32_t life = find_life(execution.task);
      Activity work{ChainLabel::kWork, 0, 0, thread.worker, execution.task};
      if (life != kNone) work = work_of(lives_[life], thread.worker);
      return {execution.node, at_ns, work};
    }
    // A callback, most likely.
    const Ref node = worker.latest.node != kNone ? worker.latest.node : root_;
    return {node, at_ns, {ChainLabel::kSubmission, 0, 0, thread.worker, 0}};
  }
  if (runtime == Runtime::kStarpu) thread.submits_to_starpu = true;
  if (thread.is_openmp) {
    settle(thread, at_ns);
    return {thread.latest.node, at_ns, {ChainLabel::kScheduler, 0, 0, thread.worker, 0}};
  }
  if (thread.latest.node == kNone) nodes_.assign(thread.latest.node, root_);
  return {thread.latest.node, at_ns, {ChainLabel::kSubmission, 0, 0, 0, 0}};
}

/// The thread has waited for `cause`, or for nothing but itself.
void ChainAnalysis::continue_from(Thread& thread, Ref cause, int64_t until_ns, ChainLabel label) {
  Ref& node = thread.latest.node;
  if (cause != kNone && cause != node && nodes_.end_ns(cause) > nodes_.end_ns(node) &&
      nodes_.end_ns(cause) <= until_ns) {
    nodes_.assign(node, cause);
  }
  nodes_.extend(node, until_ns, {label, 0, 0, thread.worker, 0});
}

void ChainAnalysis::on(const StretchRow& row) {
  if (!workers_to_begin_.empty()) begin_workers(row.end_ns);
  if (row.worker == 0 || row.worker >= workers_.size()) return;
  Worker& worker = workers_[row.worker];
  if (!worker.is_known) return;
  const bool was_idle = worker.has_begun && IdleWorkers::is_idle(worker.state);
  const bool is_idle = !row.is_last && IdleWorkers::is_idle(row.next);
  worker.has_begun = true;
  if (row.state == WorkerState::kFetch) worker.fetched_ns = row.end_ns;
  if (was_idle && !is_idle) idle_.end(worker.kind, row.end_ns);
  if (!was_idle && is_idle) idle_.begin(worker.kind, row.end_ns);
  worker.state = row.is_last ? WorkerState::kPaused : row.next;
  if (worker.kind != WorkerKind::kOpenmpThread || worker.thread == kNone) return;

  Thread& thread = threads_[worker.thread];
  if (has_started_) {
    settle(thread, row.end_ns);
    const bool begins = IdleWorkers::is_idle(thread.state) && !IdleWorkers::is_idle(row.next);
    const bool joins = thread.state == WorkerState::kIdle && thread.region == kNone;
    if (begins && joins && row.next_task == 0) {
      join_region(thread, row.end_ns);
    }
  }
  const bool is_opener =
      thread.region != kNone && &threads_[regions_[thread.region].opener] == &thread;
  if (row.next == WorkerState::kIdle && !is_opener) thread.region = kNone;
  set_state(thread, row.next, row.next_task, row.end_ns);
}

/// Rows do not name the region: it is the youngest that still has room.
void ChainAnalysis::join_region(Thread& thread, int64_t at_ns) {
  for (size_t i = open_regions_.size(); i-- > 0;) {
    Region& region = regions_[open_regions_[i]];
    if (region.size != 0 && region.joined >= region.size) continue;
    ++region.joined;
    thread.region = open_regions_[i];
    thread.barriers = 0;
    return continue_from(thread, region.fork, at_ns, ChainLabel::kBarrier);
  }
  // The program has made another thread: the one that opened the first region, most likely.
  Ref maker = kNone;
  if (thread.latest.node == root_ && first_opener_ != kNone) {
    settle(threads_[first_opener_], at_ns);
    maker = threads_[first_opener_].latest.node;
  }
  continue_from(thread, maker, at_ns, ChainLabel::kUnknown);
}

void ChainAnalysis::on(const RegionRow& row) {
  if (row.kind != RegionKind::kParallel) return;
  const uint32_t* const known = region_by_number_.find(row.number);
  if (row.end_ns != kNotYet) {
    if (known != nullptr) end_region(*known, row.end_ns);
  } else if (known != nullptr) {
    regions_[*known].size = row.size;
  } else {
    begin_region(row);
  }
}

void ChainAnalysis::begin_region(const RegionRow& row) {
  if (!workers_to_begin_.empty()) begin_workers(row.begin_ns);
  start(row.begin_ns);
  const uint32_t opener = thread_of(row.thread);
  if (first_opener_ == kNone) first_opener_ = opener;
  if (free_regions_.empty()) {
    free_regions_.push_back(static_cast<uint32_t>(regions_.size()));
    regions_.emplace_back();
  }
  const uint32_t made = free_regions_.back();
  free_regions_.pop_back();
  Thread& thread = threads_[opener];
  if (!is_worker_of_starpu(thread)) settle(thread, row.begin_ns);
  const Place place = place_of(opener, row.begin_ns, Runtime::kOpenmp);
  Region& region = regions_[made];
  region = Region{};
  region.number = row.number;
  region.opener = opener;
  region.outer = thread.region;
  region.outer_barriers = thread.barriers;
  region.size = row.size;
  region.name = row.name;
  region.fork = node_at(place);
  thread.region = made;
  thread.barriers = 0;
  open_regions_.push_back(made);
  region_by_number_[row.number] = made;
}

void ChainAnalysis::end_region(uint32_t ended, int64_t at_ns) {
  Region& region = regions_[ended];
  Thread& thread = threads_[region.opener];
  if (!is_worker_of_starpu(thread)) {
    settle(thread, at_ns);
    for (const Barrier& barrier : region.barriers) {
      if (barrier.latest == kNone) continue;
      assign_later(nodes_, thread.latest.node, barrier.latest);
    }
    continue_from(thread, kNone, at_ns, ChainLabel::kBarrier);
    set_latest_end(thread.latest.node, at_ns);
  }
  for (Thread& other : threads_) {
    if (other.region == ended) other.region = kNone;
  }
  thread.region = region.outer;
  thread.barriers = region.outer_barriers;
  nodes_.drop(region.fork);
  for (Barrier& barrier : region.barriers) nodes_.drop(barrier.latest);
  region_by_number_.erase(region.number);
  region.number = kNoRegion;
  std::erase(open_regions_, ended);
  free_regions_.push_back(ended);
  nodes_.compress_if_many();
}

void ChainAnalysis::on(const WaitRow& row) {
  if (!has_started_ || row.thread == 0) return;
  Thread& thread = threads_[thread_of(row.thread)];
  const bool begins = row.end_ns == kNotYet;
  switch (row.kind) {
    case WaitKind::kBarrier:
    case WaitKind::kTaskwait:
    case WaitKind::kTaskgroup:
      if (thread.is_openmp)
        return begins ? begin_team_wait(thread, row) : end_team_wait(thread, row);
      break;
    case WaitKind::kLock:  // is a state of its thread
      if (thread.is_openmp) return;
      break;
    default:
      break;
  }
  // What a task waits for belongs to the task.
  if (begins || is_worker_of_starpu(thread)) return;
  end_wait_of_program(thread, row);
}

void ChainAnalysis::end_wait_of_program(Thread& thread, const WaitRow& row) {
  Ref& node = thread.latest.node;
  if (node == kNone) nodes_.assign(node, root_);
  ChainLabel label = ChainLabel::kProgramWaits;
  Ref released_by = kNone;
  switch (row.kind) {
    case WaitKind::kThrottle:
      label = ChainLabel::kThrottled;
      break;
    case WaitKind::kLock:
      label = ChainLabel::kLock;
      break;
    case WaitKind::kMessage:
    case WaitKind::kMpi:
    case WaitKind::kBarrier:  // of ranks
      label = ChainLabel::kNetwork;
      break;
    case WaitKind::kData: {
      const uint32_t acquisition = find_life(thread.acquisition);
      released_by = acquisition != kNone ? lives_[acquisition].after : latest_task_;
      break;
    }
    default:
      released_by = latest_task_;
      break;
  }
  if (thread.is_openmp) {
    settle(thread, row.begin_ns);
  } else {
    nodes_.extend(node, row.begin_ns, {ChainLabel::kSubmission, 0, 0, 0, 0});
  }
  // A task that had ended before it began has released nobody.
  const bool is_released =
      released_by != kNone && nodes_.end_ns(released_by) > std::max(row.begin_ns, begin_ns_);
  continue_from(thread, is_released ? released_by : kNone, row.end_ns, label);
  thread.since_ns = std::max(thread.since_ns, row.end_ns);
  if (row.kind == WaitKind::kTasks && latest_end_ != kNone && row.begin_ns <= end_ns_) {
    set_latest_end(node, row.end_ns);
  }
  if (row.kind != WaitKind::kThrottle) return;
  // The task whose submission was held back is not in the queue before the wait's end.
  const uint32_t held_back = find_life(thread.latest_submitted);
  if (held_back == kNone) return;
  Life& life = lives_[held_back];
  const bool is_inside = life.submission != kNone && life.submission_ns <= row.begin_ns &&
                         life.steps == kNone && !life.is_finished;
  if (!is_inside) return;
  nodes_.assign(life.submission, node);
  life.submission_ns = row.end_ns;
}

void ChainAnalysis::begin_team_wait(Thread& thread, const WaitRow& row) {
  settle(thread, row.begin_ns);
  OpenWait wait{row.kind, row.begin_ns, thread.task, kNone, row.object, 0};
  if (row.kind == WaitKind::kBarrier) {
    if (const uint32_t* const found = region_by_number_.find(row.object)) {
      Region& region = regions_[*found];
      if (thread.region != *found) {
        thread.region = *found;
        thread.barriers = 0;
      }
      wait.region = *found;
      wait.barrier = ++thread.barriers;
      Barrier& barrier = region.barriers[wait.barrier & 1];
      if (barrier.number < wait.barrier) {
        barrier.number = wait.barrier;
        nodes_.drop(barrier.latest);
      }
      assign_later(nodes_, barrier.latest, thread.latest.node);
    }
  }
  thread.waits.push_back(wait);
}

void ChainAnalysis::end_team_wait(Thread& thread, const WaitRow& row) {
  settle(thread, row.end_ns);
  const auto found = std::ranges::find_if(thread.waits, [&](const OpenWait& wait) {
    return wait.kind == row.kind && wait.begin_ns == row.begin_ns;
  });
  Ref cause = kNone;
  ChainLabel label = ChainLabel::kBarrier;
  if (found != thread.waits.end()) {
    const OpenWait wait = *found;
    thread.waits.erase(found, thread.waits.end());  // waits inside have lost their ends
    const uint32_t life = wait.task != 0 ? find_life(wait.task) : kNone;
    if (row.kind == WaitKind::kBarrier) {
      if (const Barrier* const barrier = barrier_of(wait)) cause = barrier->latest;
    } else {
      label = ChainLabel::kScheduler;
      cause = row.kind == WaitKind::kTaskgroup ? latest_openmp_task_
              : life != kNone                  ? lives_[life].latest_child
                                               : thread.latest_child;
      // The chain of the task is now at least that of its children.
      if (life != kNone) assign_later(spans_, lives_[life].span, lives_[life].end_span);
    }
  }
  continue_from(thread, cause, row.end_ns, label);
}

/// Begins, or resumes.
void ChainAnalysis::begin_task(uint32_t at, const StepRow& row, uint32_t thread_at) {
  Thread& thread = threads_[thread_at];
  Life& life = lives_[at];
  settle(thread, row.ns);
  if (row.kind == StepKind::kResume) {
    // It waited for its children, or for a thread.
    nodes_.assign(life.after, life.node);
    assign_later(nodes_, life.after, life.latest_child);
    life.after_ns = life.after != kNone ? nodes_.end_ns(life.after) : kNever;
    nodes_.drop(life.submission);
    steps_of(life).ready_ns = row.ns;
    assign_later(spans_, life.span, life.end_span);
  }
  life.has_begun = true;
  if (life.span == kNone) spans_.assign(life.span, span_root_);
  const Ref node = wait_for_cause(life, thread.latest, WorkerKind::kOpenmpThread,
                                  work_of(life, thread.worker), row.ns, kNever);
  nodes_.release(thread.latest.node);
  thread.latest.node = node;
  set_state(thread, WorkerState::kWork, life.id, row.ns);
}

void ChainAnalysis::suspend_task(Life& life, const StepRow& row, uint32_t thread_at) {
  if (thread_at == kNone) return;
  Thread& thread = threads_[thread_at];
  settle(thread, row.ns);
  nodes_.assign(life.node, thread.latest.node);
  if (thread.task == life.id) set_state(thread, WorkerState::kSchedule, 0, row.ns);
}

void ChainAnalysis::end_task(uint32_t at, const StepRow& row, uint32_t thread_at) {
  Thread& thread = threads_[thread_at];
  Life& life = lives_[at];
  settle(thread, row.ns);
  Ref& node = thread.latest.node;
  if (life.has_begun) {
    own(nodes_, node);
    nodes_.count_task(node, life.kind);
    continue_from(thread, kNone, row.ns, ChainLabel::kScheduler);
    nodes_.assign(life.node, node);
  } else {
    nodes_.release(node);
    node = end_without_begin(life, row.ns, kNone);
    nodes_.assign(life.node, node);
  }
  if (thread.task == life.id) set_state(thread, WorkerState::kSchedule, 0, row.ns);
  set_latest_end(node, row.ns);
  nodes_.assign(latest_task_, node);
  nodes_.assign(latest_openmp_task_, node);
  for (const OpenWait& wait : thread.waits) {
    if (Barrier* const barrier = barrier_of(wait)) assign_later(nodes_, barrier->latest, node);
  }
  const uint32_t parent = life.parent != 0 ? find_life(life.parent) : kNone;
  if (parent != kNone) {
    assign_later(nodes_, lives_[parent].latest_child, node);
    assign_later(spans_, lives_[parent].end_span, life.span);
    if ((life.flags & kTaskIsUndeferred) != 0) {
      assign_later(spans_, lives_[parent].span, life.span);
    }
  } else if (life.submitter != kNone) {
    assign_later(nodes_, threads_[life.submitter].latest_child, node);
  }
}

ChainAnalysis::Barrier* ChainAnalysis::barrier_of(const OpenWait& wait) noexcept {
  if (wait.region == kNone || regions_[wait.region].number != wait.region_number) return nullptr;
  Barrier& barrier = regions_[wait.region].barriers[wait.barrier & 1];
  return barrier.number == wait.barrier ? &barrier : nullptr;
}

}  // namespace perseid
