// starpu_hooks/decode/scheduling.cpp: tasks between readiness and a worker.
#include "starpu_hooks/decode/scheduling.h"

#include <algorithm>
#include <utility>

namespace perseid::starpu::decoding {
namespace {

/// Phases below this are shown by arguments alone: slices of them would be most of a timeline.
constexpr int64_t kShortestPhaseNs = 1000;
constexpr size_t kMaxPopped = 64;

}  // namespace

void Scheduling::push(Thread& thread, int64_t at_ns, const Payload& words) {
  parts_->has_scheduling = true;
  const LifeRef life = parts_->tasks.find(words[0]);
  pushes_[&thread] = {words[0], at_ns, life};
  if (life == nullptr) return;
  lives_->settle(life, at_ns, thread.id);
  life->push_ns = at_ns;
  life->pushed_by = thread.lane.track();
  const Worker* const pusher = parts_->workers.of(thread);
  life->pushed_by_worker = pusher != nullptr ? static_cast<int32_t>(pusher->id) : kNoWorker;
  if (life->is_finished || life->running > 0) return;
  parts_->model.tasks.ready(life->ref, at_ns, thread.id);
  lives_->set_ready(*life, at_ns, true);
}

/// Ready may be reported again, and for private copies of parallel tasks: the first one counts.
void Scheduling::set_ready(Thread& thread, int64_t at_ns, const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  if (life == nullptr || life->is_finished || life->executions > 0) return;
  lives_->settle(life, at_ns, thread.id);
  if (parts_->model.tasks.is_ready(life->ref) && life->is_counted_ready) return;
  parts_->model.tasks.ready(life->ref, at_ns, thread.id);
  lives_->set_ready(*life, at_ns, true);
}

void Scheduling::push_end(Thread& thread, int64_t at_ns, const Payload& words) {
  OpenPush& open = pushes_[&thread];
  if (open.task != words[0] || open.task == 0) return;
  const LifeRef life = std::move(open.life);
  open.task = 0;
  if (at_ns - open.begin_ns < kShortestPhaseNs) return;
  if (life == nullptr) {
    thread.lane.add_finished(open.begin_ns, at_ns, "push to scheduler", kPhaseCategory, {});
    return;
  }
  const Argument arguments[] = {{"task", life->id},
                                {"name", life->name},
                                {"context", uint64_t{life->context}},
                                {"policy", parts_->names.policy(life->context)}};
  thread.lane.add_finished(open.begin_ns, at_ns, "push to scheduler", kPhaseCategory, arguments);
}

void Scheduling::begin_pop(const Worker& worker, int64_t at_ns, uint64_t word) {
  const uint64_t ticks = pop_ticks(word);
  if (ticks == 0 || ticks > parts_->now_ticks || !worker.executions.empty()) return;
  const int64_t begin_ns = parts_->model.timebase.to_ns(parts_->now_ticks - ticks);
  parts_->set_state(worker, WorkerState::kSchedule, std::min(begin_ns, at_ns));
}

void Scheduling::pop(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words) {
  parts_->has_scheduling = true;
  Worker& worker = parts_->workers.at(thread, worker_id);
  if (worker.popped.size() >= kMaxPopped) worker.popped.erase(worker.popped.begin());
  worker.popped.push_back({words[0], at_ns});
  worker.copy_ns = kNever;
  set_busy(worker, true, at_ns);
  begin_pop(worker, at_ns, words[1]);
  const LifeRef life = parts_->tasks.find(words[0]);
  parts_->set_state(worker, WorkerState::kSchedule, at_ns, life != nullptr ? life->id : 0);
  if (life == nullptr) return;
  if (!life->is_finished) {
    parts_->model.tasks.step(life->ref, StepKind::kTaken, at_ns, thread.id, worker.model_id);
  }
  lives_->set_ready(*life, at_ns, false);
}

void Scheduling::go_idle(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words) {
  parts_->has_scheduling = true;
  Worker& worker = parts_->workers.at(thread, worker_id);
  if (!worker.executions.empty()) return;
  begin_pop(worker, at_ns, words[0]);
  set_busy(worker, false, at_ns);
  parts_->set_state(worker, WorkerState::kIdle, at_ns);
}

void Scheduling::begin_copy(const Thread& thread, int64_t at_ns) {
  Worker* const worker = parts_->workers.of(thread);
  if (worker == nullptr) return;
  worker->latest_copy_ns = at_ns;
  if (worker->popped.empty() || worker->copy_ns != kNever || !worker->executions.empty()) return;
  worker->copy_ns = at_ns;
  const LifeRef life = parts_->tasks.find(worker->popped.back().task);
  if (life != nullptr && !life->is_finished) {
    parts_->model.tasks.step(life->ref, StepKind::kFetch, at_ns, thread.id, worker->model_id);
  }
  parts_->set_state(*worker, WorkerState::kFetch, at_ns, life != nullptr ? life->id : 0);
}

/// Between taking a task and its execution a worker waits for data from the first copy on; the rest
/// is StarPU's own work.
void Scheduling::fetched(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words) {
  Worker& worker = parts_->workers.at(thread, worker_id);
  set_busy(worker, true, at_ns);
  worker.fetched = {words[0], at_ns};
  worker.pop_ns = kNever;
  worker.fetch_begin_ns = std::exchange(worker.copy_ns, kNever);
  for (size_t i = worker.popped.size(); i-- > 0;) {
    if (worker.popped[i].task != words[0]) continue;
    worker.pop_ns = worker.popped[i].at_ns;
    worker.popped.erase(worker.popped.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  const LifeRef life = parts_->tasks.find(words[0]);
  parts_->set_state(worker, WorkerState::kSchedule, at_ns, life != nullptr ? life->id : 0);
  if (worker.pop_ns == kNever) return;
  const bool has_fetched = worker.fetch_begin_ns >= worker.pop_ns;
  if (!has_fetched) worker.fetch_begin_ns = kNever;
  add_phase(worker, worker.pop_ns, has_fetched ? worker.fetch_begin_ns : at_ns, "prepare task",
            kPhaseCategory, words[0]);
  if (has_fetched) {
    add_phase(worker, worker.fetch_begin_ns, at_ns, "fetch input", kWaitCategory, words[0]);
  }
}

void Scheduling::set_busy(Worker& worker, bool is_busy, int64_t at_ns) {
  if (worker.is_busy == is_busy) return;
  worker.is_busy = is_busy;
  parts_->counters.idle_workers.add(at_ns, is_busy ? -1 : 1);
}

void Scheduling::add_phase(Worker& worker, int64_t begin_ns, int64_t end_ns, std::string_view name,
                           const Category& category, uint64_t task) {
  // Under an asynchronous kernel the phase of another task would look like a part of it.
  if (end_ns - begin_ns < kShortestPhaseNs || !worker.executions.empty()) return;
  const LifeRef life = parts_->tasks.find(task);
  if (life == nullptr) {
    worker.lane->add_finished(begin_ns, end_ns, name, category, {});
    return;
  }
  const Argument argument{"task", life->id};
  worker.lane->add_finished(begin_ns, end_ns, name, category, {&argument, 1});
}

}  // namespace perseid::starpu::decoding
