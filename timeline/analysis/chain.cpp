// timeline/analysis/chain.cpp: chains of tasks, from their submission to their end.
#include "timeline/analysis/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "timeline/analysis/sweep.h"

namespace perseid {
namespace {

constexpr ChainNodes::Activity kSubmitting{ChainLabel::kSubmission, 0, 0, 0, 0};
constexpr uint32_t kNoLink = ~uint32_t{0} >> 1;

constexpr uint32_t bit_of(WorkerKind kind) { return 1u << static_cast<uint32_t>(kind); }

const char* reason_of(ChainTaint taint) {
  switch (taint) {
    case ChainTaint::kNoSubmission:
      return "the submission of a task is not recorded";
    case ChainTaint::kNoPredecessor:
      return "a task waited for one that is not recorded";
    default:
      return "the begin of a task is not recorded";
  }
}

}  // namespace

void ChainAnalysis::take(const ModelBatch& batch) {
  for (const WorkerRow& row : batch.workers) add_worker(row);
  for (const TaskRow& row : batch.tasks) add_task(row);
  for (const EdgeRow& row : batch.edges) add_edge(row);
  sweep(batch, *this);
}

void ChainAnalysis::add_task(const TaskRow& row) {
  Life& life = lives_[make_life(row.id)];
  life.parent = row.parent;
  life.name = row.name;
  life.kind = row.kind != 0 ? row.kind : row.name;
  life.flags = static_cast<uint16_t>(row.flags);
  life.worker_kinds = static_cast<uint8_t>(row.worker_kinds);
  life.runtime = row.runtime;
}

void ChainAnalysis::add_worker(const WorkerRow& row) {
  if (workers_.size() <= row.id) workers_.resize(row.id + size_t{1});
  Worker& worker = workers_[row.id];
  if (!worker.is_known) {
    worker.is_known = true;
    worker.begin_ns = row.begin_ns;
    workers_to_begin_.push_back(row.id);
  }
  worker.kind = row.kind;
  // A thread that is not known has no other rows: any id does that no thread has.
  worker.thread = thread_of(row.thread != 0 ? row.thread : ~row.id);
  Thread& thread = threads_[worker.thread];
  thread.worker = row.id;
  if (row.kind != WorkerKind::kOpenmpThread || thread.is_openmp) return;
  thread.is_openmp = true;
  thread.state = worker.state;
}

/// Their rows come before the rows of other workers that are about earlier times.
void ChainAnalysis::begin_workers(int64_t now_ns) {
  std::erase_if(workers_to_begin_, [&](WorkerId id) {
    Worker& worker = workers_[id];
    if (worker.begin_ns > now_ns) return false;
    worker.has_begun = true;
    if (IdleWorkers::is_idle(worker.state)) idle_.begin(worker.kind, worker.begin_ns);
    return true;
  });
}

uint32_t ChainAnalysis::make_life(NodeId id) {
  if (const uint32_t known = find_life(id); known != kNone) return known;
  if (free_lives_.empty()) {
    free_lives_.push_back(static_cast<uint32_t>(lives_.size()));
    lives_.emplace_back();
  }
  const uint32_t made = free_lives_.back();
  free_lives_.pop_back();
  lives_[made].id = id;
  (is_group(id) ? groups_ : tasks_)[id & ~kGroupBit] = made;
  return made;
}

ChainAnalysis::Steps& ChainAnalysis::steps_of(Life& life) {
  if (life.steps == kNone) {
    if (free_steps_.empty()) {
      free_steps_.push_back(static_cast<uint32_t>(steps_.size()));
      steps_.emplace_back();
    }
    life.steps = free_steps_.back();
    free_steps_.pop_back();
    steps_[life.steps] = Steps{};
  }
  return steps_[life.steps];
}

void ChainAnalysis::forget_steps(Life& life) {
  if (life.steps != kNone) free_steps_.push_back(std::exchange(life.steps, kNone));
}

void ChainAnalysis::retire(NodeId id) {
  const uint32_t retired = find_life(id);
  if (retired == kNone) return;
  Life& life = lives_[retired];
  for (Ref* const held :
       {&life.submission, &life.after, &life.latest_child, &life.node, &life.end_node}) {
    nodes_.drop(*held);
  }
  spans_.drop(life.span);
  spans_.drop(life.end_span);
  forget_steps(life);
  for (uint32_t at = life.first_link; at != kNone;) {
    const uint32_t next = links_[at].next;
    free_links_.push_back(at);
    at = next != kNoLink ? next : kNone;
  }
  life = Life{};
  free_lives_.push_back(retired);
  (is_group(id) ? groups_ : tasks_).erase(id & ~kGroupBit);
}

void ChainAnalysis::add_edge(const EdgeRow& row) {
  const uint32_t to = is_group(row.to) ? make_life(row.to) : find_life(row.to);
  if (to == kNone) return;
  const uint32_t from = is_group(row.from) ? make_life(row.from) : find_life(row.from);
  if (from == kNone) {
    lives_[to].lacks_predecessor = true;
    return;
  }
  const bool is_end = row.cause == EdgeCause::kEnd || row.cause == EdgeCause::kParent;
  if (lives_[from].is_finished) return pass_on(lives_[from], lives_[to], is_end);
  if (free_links_.empty()) {
    free_links_.push_back(static_cast<uint32_t>(links_.size()));
    links_.emplace_back();
  }
  const uint32_t link = free_links_.back();
  free_links_.pop_back();
  const uint32_t next = lives_[from].first_link;
  links_[link] = {row.to, to, (next != kNone ? next : kNoLink) & kNoLink, is_end};
  lives_[from].first_link = link;
}

void ChainAnalysis::start(int64_t at_ns) {
  if (has_started_) return;
  has_started_ = true;
  begin_ns_ = end_ns_ = at_ns;
  root_ = nodes_.make_root(at_ns);
}

/// `slot` holds the chain that ends later; of equal ones, the one that came last.
void ChainAnalysis::assign_later(ChainNodes& nodes, Ref& slot, Ref node) {
  if (node == kNone) return;
  if (slot == kNone || nodes.end_ns(node) >= nodes.end_ns(slot)) nodes.assign(slot, node);
}

void ChainAnalysis::own(ChainNodes& nodes, Ref& slot) {
  if (nodes.refs(slot) == 1) return;
  const Ref child = nodes.make_child(slot);
  nodes.release(slot);
  slot = child;
}

void ChainAnalysis::set_latest_end(Ref node, int64_t at_ns) {
  if (at_ns < end_ns_) return;
  end_ns_ = at_ns;
  nodes_.assign(latest_end_, node);
}

ChainNodes::Activity ChainAnalysis::work_of(const Life& life, WorkerId worker) const noexcept {
  return {ChainLabel::kWork, life.kind, life.name, worker, life.id};
}

void ChainAnalysis::on(const StepRow& row) {
  if (!workers_to_begin_.empty()) begin_workers(row.ns);
  const uint32_t at = find_life(row.task);
  if (at == kNone) return;
  Life& life = lives_[at];
  const bool is_work = (life.flags & (kTaskWithoutWork | kTaskAcquisition)) == 0;
  if (row.kind == StepKind::kSubmitted && is_work) start(row.ns);
  if (!has_started_ && row.kind != StepKind::kRetired) return;
  switch (row.kind) {
    case StepKind::kSubmitted:
      return submitted(life, row);
    case StepKind::kReady:
      return ready(life, row);
    case StepKind::kBlocked:
      steps_of(life).ready_ns = kNever;
      return;
    case StepKind::kTaken:
      steps_of(life).taken_ns = row.ns;
      return;
    case StepKind::kFetch:
      steps_of(life).fetch_ns = row.ns;
      return;
    case StepKind::kBegin:
      return begun(at, row);
    case StepKind::kSuspend:
      return suspend_task(life, row, row.thread != 0 ? thread_of(row.thread) : kNone);
    case StepKind::kResume:
      if (row.thread != 0) begin_task(at, row, thread_of(row.thread));
      return;
    case StepKind::kEnd:
      ended(at, row);
      nodes_.compress_if_many();
      spans_.compress_if_many();
      return;
    case StepKind::kFinished:
      return finished(at, row);
    case StepKind::kRetired:
      return retire(row.task);
    case StepKind::kCallback:
      return;
  }
}

void ChainAnalysis::submitted(Life& life, const StepRow& row) {
  if ((life.flags & kTaskUnsubmitted) != 0 || row.thread == 0) return;
  const uint32_t thread = thread_of(row.thread);
  life.submitter = thread;
  const uint32_t parent = life.parent != 0 ? find_life(life.parent) : kNone;
  if (parent != kNone && threads_[thread].is_openmp) {
    // What the parent has done so far comes before its child.
    settle(threads_[thread], row.ns);
    assign_later(spans_, life.span, lives_[parent].span);
  }
  const Place place = place_of(thread, row.ns, life.runtime);
  if (place.latest.label == ChainLabel::kSubmission) {
    nodes_.assign(life.submission, place.node);
  } else {
    life.submission = node_at(place);
  }
  life.submission_ns = row.ns;
  threads_[thread].latest_submitted = life.id;
  if ((life.flags & kTaskAcquisition) != 0) threads_[thread].acquisition = life.id;
}

void ChainAnalysis::ready(Life& life, const StepRow& row) {
  Steps& steps = steps_of(life);
  steps.ready_ns = row.ns;
  steps.ready_idle = idle_.read(row.ns);
  if (row.after != 0 && life.after == kNone && find_life(row.after) == kNone) {
    life.lacks_predecessor = true;
  }
}

/// A node of its own, held by the caller, for what is there in words only.
ChainNodes::Ref ChainAnalysis::node_at(const Place& place) {
  Ref node = place.node;
  nodes_.hold(node);
  nodes_.extend(node, place.ns, place.latest);
  return node;
}

/// A new node, held by the caller, that ends at `begin_ns`: its parent is what the task waited for
/// last, and the time since then has the labels of the task's steps.
ChainNodes::Ref ChainAnalysis::wait_for_cause(Life& life, const LatestWork& previous,
                                              WorkerKind kind, const Activity& work,
                                              int64_t begin_ns, int64_t fetched_ns) {
  const Steps& steps = steps_of(life);
  int64_t after_ns = life.after != kNone ? life.after_ns : kNever;
  // A callback of the predecessor may go on.
  if (after_ns > begin_ns && nodes_.end_ns(life.after) <= begin_ns) {
    after_ns = nodes_.end_ns(life.after);
  }
  if (after_ns > begin_ns) after_ns = kNever;
  int64_t submission_ns = life.submission != kNone ? life.submission_ns : kNever;
  if (submission_ns > begin_ns) submission_ns = kNever;
  int64_t previous_ns = previous.node != kNone ? nodes_.end_ns(previous.node) : kNever;
  if (previous_ns > begin_ns) previous_ns = kNever;

  Activity wait = work;
  wait.kind = 0;
  const auto extend = [&](Ref& node, int64_t until_ns, ChainLabel label) {
    wait.label = label;
    nodes_.extend(node, std::min(until_ns, begin_ns), wait);
  };
  Ref node = kNone;
  if (after_ns != kNever && after_ns >= submission_ns && after_ns >= previous_ns) {
    node = nodes_.make_child(life.after);
  } else if (submission_ns != kNever && submission_ns >= previous_ns) {
    node = nodes_.make_child(life.submission);
    nodes_.extend(node, submission_ns, kSubmitting);
    extend(node, steps.ready_ns, ChainLabel::kSubmission);
  } else if (previous_ns != kNever) {
    node = nodes_.make_child(previous.node);
    label_busy_worker(node, life, previous, kind);
  } else {
    node = nodes_.make_child(root_);
    extend(node, begin_ns, ChainLabel::kUnknown);
  }
  if ((life.flags & kTaskUnsubmitted) != 0) {
    nodes_.taint(node, ChainTaint::kNoSubmission, begin_ns);
  } else if (life.lacks_predecessor) {
    nodes_.taint(node, ChainTaint::kNoPredecessor, begin_ns);
  }
  if (steps.fetch_ns != kNever && steps.fetch_ns <= begin_ns) {
    extend(node, steps.fetch_ns, ChainLabel::kScheduler);
    extend(node, fetched_ns >= steps.fetch_ns ? fetched_ns : begin_ns, ChainLabel::kData);
  }
  extend(node, begin_ns, ChainLabel::kScheduler);
  return node;
}

/// The task was ready before its worker had time for it: was there another one?
void ChainAnalysis::label_busy_worker(Ref node, Life& life, const LatestWork& busy,
                                      WorkerKind kind) {
  const Steps& steps = steps_of(life);
  const int64_t ready_ns = steps.ready_ns != kNever ? steps.ready_ns : life.submission_ns;
  const int64_t work_ns = nodes_.work_begin_ns(busy.node);
  if (std::max(ready_ns, work_ns) >= nodes_.end_ns(busy.node)) return;
  const bool has_choice = (life.flags & (kTaskOnGivenWorker | kTaskIsUndeferred)) == 0;
  const uint32_t kinds = life.worker_kinds != 0 ? life.worker_kinds : bit_of(kind);
  const IdleWorkers::Reading& from = steps.ready_ns > work_ns ? steps.ready_idle : busy.begin_idle;
  const bool was_idle = has_choice && IdleWorkers::was_any(from, busy.end_idle, kinds);
  nodes_.relabel(node, ready_ns, was_idle ? ChainLabel::kPlacement : ChainLabel::kBusy);
}

void ChainAnalysis::begun(uint32_t at, const StepRow& row) {
  Life& life = lives_[at];
  const uint32_t thread = row.thread != 0 ? thread_of(row.thread) : kNone;
  if (life.runtime == Runtime::kOpenmp && thread != kNone) return begin_task(at, row, thread);
  if (life.running++ == 0) steps_of(life).begin_ns = row.ns;
  life.has_begun = true;
  if (row.worker == 0 || row.worker >= workers_.size()) return;
  Worker& worker = workers_[row.worker];
  const Ref node = wait_for_cause(life, worker.latest, worker.kind, work_of(life, row.worker),
                                  row.ns, worker.fetched_ns);
  worker.open.push_back({life.id, node, row.ns, idle_.read(row.ns)});
}

void ChainAnalysis::ended(uint32_t at, const StepRow& row) {
  Life& life = lives_[at];
  const uint32_t thread = row.thread != 0 ? thread_of(row.thread) : kNone;
  if (life.runtime == Runtime::kOpenmp && thread != kNone) return end_task(at, row, thread);
  if (life.running > 0 && --life.running == 0) {
    // The program is not a worker: how long it holds data is not work.
    if ((life.flags & kTaskAcquisition) == 0) add_to_span(life, row.ns - steps_of(life).begin_ns);
  }
  Ref node = kNone;
  if (row.worker == 0 || row.worker >= workers_.size()) {
    node = node_at(thread != kNone ? place_of(thread, row.ns, life.runtime) : Place{root_, 0, {}});
    nodes_.extend(node, row.ns, {});
  } else {
    Worker& worker = workers_[row.worker];
    const auto found = std::ranges::find(worker.open, life.id, &Execution::task);
    LatestWork& latest = worker.latest;
    const Activity work = work_of(life, row.worker);
    if (found == worker.open.end()) {
      node = end_without_begin(life, row.ns, latest.node);
      latest.begin_idle = idle_.read(row.ns);
    } else if (latest.node != kNone && nodes_.end_ns(latest.node) > found->begin_ns) {
      // Kernels of one worker run one after the other, however early they are launched.
      nodes_.release(found->node);
      node = nodes_.make_child(latest.node);
      label_busy_worker(node, life, latest, worker.kind);
      latest.begin_idle = latest.end_idle;
      nodes_.extend(node, row.ns, work);
      worker.open.erase(found);
    } else {
      node = found->node;
      latest.begin_idle = found->begin_idle;
      nodes_.extend(node, row.ns, work);
      worker.open.erase(found);
    }
    own(nodes_, node);
    nodes_.count_task(node, life.kind);
    latest.end_idle = idle_.read(row.ns);
    nodes_.assign(latest.node, node);
    nodes_.assign(latest_task_, node);
  }
  assign_later(nodes_, life.node, node);
  if ((life.flags & kTaskAcquisition) == 0) set_latest_end(node, row.ns);
  nodes_.release(node);
}

/// A new node, held by the caller.
ChainNodes::Ref ChainAnalysis::end_without_begin(Life& life, int64_t at_ns, Ref previous) {
  Ref cause = previous;
  if (life.after != kNone &&
      (cause == kNone || nodes_.end_ns(life.after) >= nodes_.end_ns(cause))) {
    cause = life.after;
  }
  const bool is_submission_later =
      life.submission != kNone && (cause == kNone || life.submission_ns > nodes_.end_ns(cause));
  if (is_submission_later) cause = life.submission;
  Ref node = nodes_.make_child(cause != kNone ? cause : root_);
  if (is_submission_later) nodes_.extend(node, life.submission_ns, kSubmitting);
  nodes_.extend(node, at_ns, {ChainLabel::kUnknown, 0, life.name, 0, life.id});
  const bool is_unsubmitted = (life.flags & kTaskUnsubmitted) != 0;
  nodes_.taint(node, is_unsubmitted ? ChainTaint::kNoSubmission : ChainTaint::kNoBegin, at_ns);
  return node;
}

void ChainAnalysis::add_to_span(Life& life, int64_t ns) {
  if (life.span == kNone) spans_.assign(life.span, span_root_);
  if (ns <= 0) return;
  spans_.extend(life.span, spans_.end_ns(life.span) + ns,
                {ChainLabel::kWork, life.kind, life.name, 0, life.id});
}

/// A new node, held by the caller, of a task that never ran; kNone: nothing is known.
ChainNodes::Ref ChainAnalysis::end_without_work(Life& life, const StepRow& row) {
  const bool has_submission = life.submission != kNone;
  if (is_group(life.id) || (life.flags & kTaskWithoutWork) != 0) {
    const bool is_after =
        life.after != kNone && (!has_submission || nodes_.end_ns(life.after) >= life.submission_ns);
    if (is_after) {
      nodes_.hold(life.after);
      return life.after;
    }
    return has_submission ? node_at({life.submission, life.submission_ns, kSubmitting}) : kNone;
  }
  if ((life.flags & kTaskAcquisition) != 0 && row.thread != 0) {
    return node_at(place_of(thread_of(row.thread), row.ns, life.runtime));
  }
  return end_without_begin(life, row.ns, kNone);
}

void ChainAnalysis::finished(uint32_t at, const StepRow& row) {
  Life& life = lives_[at];
  if (life.is_finished) return;
  if (life.node == kNone) life.node = end_without_work(life, row);
  assign_later(nodes_, life.node, life.end_node);
  if (life.has_begun && life.span != kNone && (life.flags & kTaskAcquisition) == 0) {
    own(spans_, life.span);
    spans_.count_task(life.span, life.kind);
  }
  assign_later(spans_, life.span, life.end_span);
  assign_later(spans_, longest_, life.span);
  life.is_finished = true;
  life.finished_ns = row.ns;
  // It may be finished only when it is complete, which nobody has waited for.
  if (is_group(life.id) && life.after != kNone) life.finished_ns = life.after_ns;
  forget_steps(life);
  // What comes after it needs its end only. The program's own accesses may be waited for.
  if (life.has_begun && life.running == 0 && (life.flags & kTaskAcquisition) == 0) {
    for (Ref* const held : {&life.submission, &life.after, &life.latest_child, &life.end_node}) {
      nodes_.drop(*held);
    }
    spans_.drop(life.end_span);
  }
  for (uint32_t next = std::exchange(life.first_link, kNone); next != kNone;) {
    const Link link = links_[next];
    if (lives_[link.life].id == link.to) pass_on(life, lives_[link.life], link.is_end != 0);
    free_links_.push_back(next);
    next = link.next != kNoLink ? link.next : kNone;
  }
}

/// `to` waited for the end of `from`.
void ChainAnalysis::pass_on(Life& from, Life& to, bool is_end) {
  if (is_end) {
    assign_later(nodes_, to.end_node, from.node);
    assign_later(spans_, to.end_span, from.span);
    return;
  }
  to.lacks_predecessor = to.lacks_predecessor || from.node == kNone;
  if (from.node != kNone && from.finished_ns >= to.after_ns) {
    nodes_.assign(to.after, from.node);
    to.after_ns = from.finished_ns;
  }
  if (!to.has_begun) assign_later(spans_, to.span, from.span);
}

void ChainAnalysis::finish(const NameIds& names) {
  chain_ = {};
  if (latest_end_ != kNone) {
    own(nodes_, latest_end_);
    nodes_.collect(latest_end_);
    chain_.ns = nodes_.sums(latest_end_);
    chain_.work = nodes_.kinds(latest_end_, names);
    chain_.latest = nodes_.latest(latest_end_, names);
    if (nodes_.taint_of(latest_end_) != ChainTaint::kNone) {
      chain_.taint = fmt::format("The chain is not known before {:.3f} s: {}.",
                                 static_cast<double>(nodes_.tainted_ns(latest_end_)) / 1e9,
                                 reason_of(nodes_.taint_of(latest_end_)));
    }
  }
  if (longest_ != kNone) {
    longest_ns_ = spans_.end_ns(longest_);
    own(spans_, longest_);
    spans_.collect(longest_);
    longest_kinds_ = spans_.kinds(longest_, names);
  }
}

void ChainAnalysis::fill_in(Bounds& bounds) const {
  bounds.chain_ns = longest_ns_;
  bounds.longest = longest_kinds_;
}

}  // namespace perseid
