// timeline/analysis/worker_times.cpp: charges the time of workers to labels.
#include "timeline/analysis/worker_times.h"

#include <algorithm>
#include <bit>

#include "timeline/analysis/sweep.h"
#include "timeline/model/names.h"

namespace perseid {
namespace {

constexpr bool is_waiting(WorkerState state) noexcept {
  return state == WorkerState::kIdle || state == WorkerState::kSleep ||
         state == WorkerState::kBarrier || state == WorkerState::kTaskwait;
}

constexpr Label label_of(WorkerState state) noexcept {
  switch (state) {
    case WorkerState::kWork:
      return Label::kWork;
    case WorkerState::kFetch:
      return Label::kData;
    case WorkerState::kSchedule:
      return Label::kScheduler;
    case WorkerState::kCallback:
      return Label::kCallback;
    case WorkerState::kPaused:
      return Label::kPaused;
    case WorkerState::kLock:
      return Label::kLock;
    case WorkerState::kTarget:
      return Label::kDevice;
    default:
      return Label::kUnexplained;
  }
}

constexpr bool is_cause(Label label) noexcept {
  return label >= StarpuCauses::kFirst && label <= Label::kSubmission;
}

/// What the records of the scheduler and of data would explain.
constexpr bool needs_scheduling(Label label) noexcept {
  return label >= Label::kLatency && label <= Label::kDependencies;
}

}  // namespace

WorkerTimes::Slot* WorkerTimes::slot_of(WorkerId worker) noexcept {
  const bool is_known = worker < slot_by_worker_.size() && slot_by_worker_[worker] != 0;
  return is_known ? &slots_[slot_by_worker_[worker] - 1] : nullptr;
}

/// StarPU's workers of a second run, and threads of OpenMP that come when others have gone, go on
/// in a row that is there.
void WorkerTimes::add_worker(const WorkerRow& row) {
  starpu_.add_worker(row);
  if (slot_by_worker_.size() <= row.id) slot_by_worker_.resize(row.id + size_t{1});
  uint32_t& place = slot_by_worker_[row.id];
  if (place == 0) {
    const bool is_openmp = row.runtime == Runtime::kOpenmp;
    const auto reused = std::ranges::find_if(slots_, [&](const Slot& slot) {
      if (slot.row.runtime != row.runtime) return false;
      return is_openmp ? slot.is_gone : slot.row.number == row.number && slot.row.kind == row.kind;
    });
    place = static_cast<uint32_t>(reused - slots_.begin()) + 1;
    if (reused == slots_.end()) {
      Slot& slot = slots_.emplace_back();
      slot.since_ns = std::max(row.begin_ns, now_ns_);
    }
  }
  slots_[place - 1].row = row;
  if (row.runtime == Runtime::kOpenmp && row.thread != 0) slot_by_thread_[row.thread] = place;
}

void WorkerTimes::take(const ModelBatch& batch) {
  names_ = batch.names;
  for (const WorkerRow& row : batch.workers) add_worker(row);
  for (const TaskRow& row : batch.tasks) {
    starpu_.add_task(row);
    openmp_.add_task(row);
  }
  sweep(batch, *this);
}

void WorkerTimes::pass_to(int64_t ns) {
  if (ns <= now_ns_) return;
  if (counts_) {
    counted_ns_ += ns - now_ns_;
    starpu_.pass(ns - now_ns_);
    openmp_.pass(ns - now_ns_);
  }
  now_ns_ = ns;
}

void WorkerTimes::advance(int64_t to_ns) {
  while (next_window_ < windows_.size()) {
    const TimeWindow& window = windows_[next_window_];
    const int64_t edge_ns = counts_ ? window.end_ns : window.begin_ns;
    if (edge_ns > to_ns) break;
    pass_to(edge_ns);
    if (!counts_) start(now_ns_);
    set_counting(!counts_, now_ns_);
    if (!counts_) ++next_window_;
  }
  pass_to(to_ns);
}

void WorkerTimes::start(int64_t at_ns) {
  if (has_started_) return;
  has_started_ = true;
  begin_ns_ = at_ns;
}

void WorkerTimes::set_counting(bool counts, int64_t at_ns) {
  if (counts_ == counts) return;
  charge_all(at_ns);
  counts_ = counts;
}

void WorkerTimes::charge_all(int64_t to_ns) {
  for (Slot& slot : slots_) {
    if (!slot.is_gone && slot.since_ns <= to_ns) charge(slot, to_ns, slot.state, 0);
  }
}

void WorkerTimes::mark(Mark& mark, int64_t at_ns) {
  mark.ns = at_ns;
  mark.counted_ns = counted_ns_;
  ++mark.number;
  take_snapshot(mark.at);
}

void WorkerTimes::on(const StepRow& row) {
  advance(row.ns);
  const bool is_starpu = starpu_.on(row);
  const bool is_work = openmp_.on(row) || is_starpu;
  if (!has_started_ && !is_fixed() && !is_in_left_out_ && row.kind == StepKind::kSubmitted &&
      is_work) {
    start(row.ns);
    set_counting(true, row.ns);
  }
  if (is_starpu && (row.kind == StepKind::kTaken || row.kind == StepKind::kBegin)) {
    mark(take_, row.ns);
  }
  if (row.kind == StepKind::kEnd && has_started_ && is_work) {
    if (counts_) ++executed_;
    mark(end_, row.ns);
  }
}

void WorkerTimes::on(const WaitRow& row) {
  advance(row.end_ns == kNotYet ? row.begin_ns : row.end_ns);
  starpu_.on(row);
  openmp_.on(row);
  if (row.end_ns == kNotYet || !has_started_) return;
  // What waited for the last task belongs to the run.
  if (row.kind == WaitKind::kTasks && row.begin_ns <= end_.ns) mark(end_, row.end_ns);
  if (row.kind != WaitKind::kMpi) return;
  const uint32_t* const place = slot_by_thread_.find(row.thread);
  if (place == nullptr) return;
  Slot& slot = slots_[*place - 1];
  if (slot.state != WorkerState::kWork || slot.since_ns > row.begin_ns) return;
  // Nothing but the call happened meanwhile.
  charge(slot, row.begin_ns, slot.state, 0);
  if (counts_) charge_busy(slot, Label::kMpi, row.begin_ns, row.end_ns);
  slot.since_ns = row.end_ns;
}

void WorkerTimes::on(const MessageRow& row) {
  advance(time_of(row));
  starpu_.on(row);
}

void WorkerTimes::on(const RegionRow& row) {
  const bool begins = row.end_ns == kNotYet;
  advance(begins ? row.begin_ns : row.end_ns);
  openmp_.on(row);
  if (row.kind == RegionKind::kParallel) {
    if (begins && !has_started_ && !is_fixed() && !is_in_left_out_) {
      start(row.begin_ns);
      set_counting(true, row.begin_ns);
    }
    if (!begins && has_started_) mark(end_, row.end_ns);
  }
  if (row.kind != RegionKind::kPhase) return;
  const bool is_left_out = !is_fixed() && is_left_out_ != nullptr && names_ != nullptr &&
                           is_left_out_(names_->text(row.name));
  if (is_left_out) {
    if (begins) ++left_out_phases_;
    if (begins) {
      left_out_from_ns_ = row.begin_ns;
    } else if (is_in_left_out_) {
      left_out_ns_ += row.end_ns - left_out_from_ns_;
    }
    is_in_left_out_ = begins;
    if (begins) {
      set_counting(false, row.begin_ns);
    } else if (has_started_ || starpu_.has_submitted() || openmp_.has_regions()) {
      start(row.end_ns);
      set_counting(true, row.end_ns);
    }
    return;
  }
  if (begins) {
    charge_all(now_ns_);
    open_phases_.assign(1, {row.name, counted_ns_, totals()});
  } else {
    end_phase(row.end_ns);
  }
}

std::array<LabelSums, kWorkerKinds> WorkerTimes::totals() {
  std::array<LabelSums, kWorkerKinds> sums;
  for (const Slot& slot : slots_) {
    LabelSums& of = sums[static_cast<size_t>(slot.row.kind)];
    for (const Part* part : {&slot.final, &slot.after_take, &slot.after_end, &slot.after_both})
      of += part->sums;
  }
  return sums;
}

void WorkerTimes::end_phase(int64_t at_ns) {
  if (open_phases_.empty()) return;
  charge_all(at_ns);
  const OpenPhase& open = open_phases_.back();
  Phase phase;
  phase.name = open.name;
  phase.time_ns = counted_ns_ - open.counted_ns;
  const auto sums = totals();
  for (size_t kind = 0; kind < kWorkerKinds; ++kind) {
    for_each_label([&](Label label) {
      phase.labels[kind][label] = sums[kind][label] - open.labels[kind][label];
    });
  }
  const auto known = std::ranges::find(phases_, phase.name, &Phase::name);
  if (known == phases_.end()) {
    phases_.push_back(phase);
  } else {
    known->time_ns += phase.time_ns;
    for (size_t kind = 0; kind < kWorkerKinds; ++kind) known->labels[kind] += phase.labels[kind];
  }
  open_phases_.clear();
}

void WorkerTimes::on(const StretchRow& row) {
  advance(row.end_ns);
  Slot* const slot = slot_of(row.worker);
  if (slot == nullptr) return;
  if (slot->is_gone) {  // and comes back
    if (counts_ && row.begin_ns > slot->since_ns) {
      const bool is_openmp = slot->row.runtime == Runtime::kOpenmp;
      charge_busy(*slot, is_openmp ? Label::kSerial : Label::kPaused, slot->since_ns, row.begin_ns);
    }
    slot->is_gone = false;
    slot->has_snapshot = false;
    slot->since_ns = std::max(slot->since_ns, row.begin_ns);
  }
  slot->state = row.state;
  // Tasks for a given worker are never taken from the scheduler.
  has_scheduling_ = has_scheduling_ ||
                    (slot->row.runtime == Runtime::kStarpu && row.state == WorkerState::kSchedule);
  // The begin of a pop becomes known at its end: causes cannot be asked for the past.
  const int64_t until_ns = is_waiting(row.state) ? std::max(row.end_ns, now_ns_) : row.end_ns;
  charge(*slot, until_ns, row.next, row.next_task);
  slot->state = row.next;
  slot->is_gone = row.is_last;
  if (slot->row.runtime == Runtime::kOpenmp) openmp_.set_state(slot->row.thread, row.next);
}

void WorkerTimes::sync(Slot& slot) noexcept {
  const bool has_end = slot.seen_end != end_.number;
  const bool has_take = slot.seen_take != take_.number;
  const auto move = [](Part& from, Part& to) {
    to.used |= from.used;
    for (; from.used != 0; from.used &= from.used - 1) {
      const auto label = static_cast<Label>(std::countr_zero(from.used));
      to.sums[label] += std::exchange(from.sums[label], 0);
    }
  };
  if (has_end) {
    move(slot.after_end, slot.final);
    move(slot.after_both, has_take ? slot.final : slot.after_take);
  } else if (has_take) {
    move(slot.after_both, slot.after_end);
  }
  if (has_take) move(slot.after_take, slot.final);
  slot.seen_end = end_.number;
  slot.seen_take = take_.number;
}

WorkerTimes::Part& WorkerTimes::sums_at(Slot& slot, int64_t ns) noexcept {
  const bool is_after_end = ns >= end_.ns;
  const bool is_after_take = ns >= take_.ns;
  if (is_after_end) return is_after_take ? slot.after_both : slot.after_end;
  return is_after_take ? slot.after_take : slot.final;
}

void WorkerTimes::charge(Slot& slot, int64_t to_ns, WorkerState next, TaskId next_task) {
  sync(slot);
  if (counts_ && to_ns > slot.since_ns) {
    if (!is_waiting(slot.state)) {
      charge_busy(slot, label_of(slot.state), slot.since_ns, to_ns);
    } else if (!slot.has_snapshot) {
      const bool is_openmp = slot.row.runtime == Runtime::kOpenmp;
      charge_busy(slot, is_openmp ? Label::kSerial : Label::kStart, slot.since_ns, to_ns);
    } else {
      StarpuCauses::Readiness ready{0, nullptr};
      if (next_task != 0 && slot.row.runtime == Runtime::kStarpu)
        ready = starpu_.readiness(next_task);
      if (ready.integrals == nullptr) {
        charge_idle(slot, to_ns, starpu_.integrals(), next);
      } else {
        // The task that it takes was there before.
        const int64_t there_ns = std::clamp(ready.ns, slot.since_ns, to_ns);
        if (there_ns > slot.since_ns) charge_idle(slot, there_ns, *ready.integrals, next);
        charge_busy(slot, Label::kLatency, there_ns, to_ns);
      }
    }
  }
  if (to_ns < slot.since_ns) return;
  slot.since_ns = to_ns;
  slot.has_snapshot = true;
  if (is_waiting(next)) take_snapshot(slot.since);
}

/// Splits a piece of time where the latest end and the latest take are.
void WorkerTimes::charge_busy(Slot& slot, Label label, int64_t from_ns, int64_t to_ns) {
  const auto [first, second] = std::minmax(end_.ns, take_.ns);
  for (const int64_t edge_ns : {first, second, to_ns}) {
    const int64_t until_ns = std::min(edge_ns, to_ns);
    if (until_ns <= from_ns) continue;
    Part& part = sums_at(slot, from_ns);
    part.sums[label] += until_ns - from_ns;
    part.used |= 1u << static_cast<uint32_t>(label);
    from_ns = until_ns;
  }
}

void WorkerTimes::charge_idle(Slot& slot, int64_t to_ns, const StarpuCauses::Integrals& to,
                              WorkerState next) {
  int64_t from_ns = slot.since_ns;
  const Snapshot* from = &slot.since;
  const Mark* const marks[] = {end_.ns <= take_.ns ? &end_ : &take_,
                               end_.ns <= take_.ns ? &take_ : &end_};
  for (const Mark* const mark : marks) {
    if (mark->ns <= from_ns || mark->ns >= to_ns) continue;
    add_causes(slot, from_ns, *from, mark->ns, mark->at.starpu, mark->at.openmp, slot.state);
    from_ns = mark->ns;
    from = &mark->at;
  }
  add_causes(slot, from_ns, *from, to_ns, to, openmp_.integrals(), next);
}

void WorkerTimes::add_causes(Slot& slot, int64_t from_ns, const Snapshot& from, int64_t to_ns,
                             const StarpuCauses::Integrals& to,
                             const OpenmpCauses::Integrals& to_openmp, WorkerState next) {
  Part& part = sums_at(slot, from_ns);
  if (slot.row.runtime == Runtime::kOpenmp) {
    openmp_.add_causes(from.openmp, from_ns, to_openmp, to_ns, slot.row.thread, slot.state, next,
                       part.sums);
    part.used = (1u << kLabels) - 1;
  } else {
    part.used |= starpu_.add_difference(from.starpu, to, slot.row.kind, part.sums);
  }
}

void WorkerTimes::finish() {
  end_phase(now_ns_);
  const int64_t time = time_ns();
  for (Slot& slot : slots_) {
    sync(slot);
    const bool is_starpu = slot.row.runtime == Runtime::kStarpu;
    LabelSums& sums = slot.final.sums;
    // Nobody has taken a task since.
    for_each_label([&](Label label) {
      const bool is_tail = is_starpu && is_cause(label);
      sums[is_tail ? Label::kTail : label] += slot.after_take.sums[label];
    });
    slot.after_take = slot.after_end = slot.after_both = {};
    if (is_starpu && !has_scheduling_) {
      for_each_label([&](Label label) {
        if (!needs_scheduling(label)) return;
        sums[Label::kNotRecorded] += sums[label];
        sums[label] = 0;
      });
    }
    // Before it was there, or after it had gone.
    const int64_t missing = time - sums.total();
    const Label absent = !is_starpu ? Label::kSerial : slot.is_gone ? Label::kTail : Label::kStart;
    sums[missing > 0 ? absent : Label::kUnexplained] += missing;
  }
}

std::vector<WorkerTimes::Worker> WorkerTimes::workers() const {
  std::vector<Worker> workers;
  for (const Slot& slot : slots_) workers.push_back({slot.row, slot.final.sums});
  return workers;
}

}  // namespace perseid
