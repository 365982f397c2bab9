// starpu_hooks/decode/executions.cpp: executions as slices of workers and as steps of tasks.
#include "starpu_hooks/decode/executions.h"

#include <algorithm>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

/// More than any device keeps in flight: their ends must be missing.
constexpr size_t kMaxInFlight = 64;

std::string_view name_of(CallbackKind kind) {
  switch (kind) {
    case CallbackKind::kWhenReady:
      return "prologue callback";
    case CallbackKind::kWhenPopped:
      return "prologue callback of the worker";
    case CallbackKind::kBeforeRelease:
      return "epilogue callback";
    default:
      return "callback";
  }
}

ExecutionRow row_of(const Worker& worker, const Execution& execution, int64_t end_ns) {
  ExecutionRow row;
  row.task = execution.life->id;
  row.worker = worker.model_id;
  row.footprint = execution.footprint;
  row.implementation = execution.implementation;
  if (is_prediction(execution.predicted_us)) row.predicted_ns = 1000 * execution.predicted_us;
  if (is_prediction(execution.predicted_transfer_us)) {
    row.predicted_transfer_ns = 1000 * execution.predicted_transfer_us;
  }
  row.begin_ns = execution.begin_ns;
  row.end_ns = std::max(execution.begin_ns, end_ns);
  return row;
}

}  // namespace

void Executions::begin(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words) {
  if (words[0] == 0) return;
  Worker& worker = parts_->workers.at(thread, worker_id);
  while (worker.executions.size() >= kMaxInFlight) {
    (*worker.lane)[worker.executions.front().slice].arguments.add(
        {"end", std::string_view("lost")});
    finish(worker, 0, at_ns);
  }
  Execution execution;
  execution.life = parts_->tasks.find(words[0]);
  const bool is_new = execution.life == nullptr;
  if (is_new) execution.life = parts_->tasks.begin(words[0]);
  TaskLife& life = *execution.life;
  read(execution, words);
  if (life.name.empty() || life.name == "(unnamed)") {
    life.name = execution.function != 0 ? parts_->names.function(execution.function) : "(unnamed)";
  }
  if (is_new) lives_->begin(execution.life, at_ns, thread.id);
  if (!life.was_submitted) ++parts_->totals.without_submission;
  ++parts_->totals.executions;

  // A parallel task's hooks see private copies: what this worker last fetched is this task.
  if (worker.fetched.task == words[0] || execution.size > 1) {
    execution.pop_ns = worker.pop_ns;
    execution.fetch_begin_ns = worker.fetch_begin_ns;
    execution.fetched_ns = worker.fetched.at_ns;
  }
  worker.fetched = {};
  worker.pop_ns = worker.fetch_begin_ns = kNever;

  // Without a policy each worker of a context calls the function, and no record has how many do.
  execution.is_first_rank =
      execution.size > 1 ? life.executions % execution.size == 0 : life.running == 0;
  if (life.running == 0) ++life.runs;
  lives_->settle(execution.life, at_ns, thread.id);
  parts_->model.tasks.begin(life.ref, at_ns, thread.id, worker.model_id);
  lives_->set_ready(life, at_ns, false);
  ++life.executions;
  ++life.running;
  execution.slice = worker.lane->open(at_ns, life.name, kExecutionCategory);
  execution.begin_ns = (*worker.lane)[execution.slice].begin_ns;
  if (execution.is_first_rank) {
    parts_->model.arrows.open(life.id, execution.begin_ns);
    note_steal(worker, execution);
  }
  thread.tasks.begin(*worker.lane, execution.slice, life.id);
  execution.thread = &thread;
  worker.executions.push_back(std::move(execution));
  scheduling_->set_busy(worker, true, at_ns);
  parts_->set_state(worker, WorkerState::kWork, at_ns, life.id);
  parts_->counters.running.add(at_ns, 1);
}

void Executions::read(Execution& execution, const Payload& words) {
  execution.function = words[1];
  execution.implementation = low_half(words[2]);
  execution.is_async = (high_half(words[2]) & kExecAsync) != 0;
  execution.combined_worker = static_cast<int32_t>(low_half(words[3]));
  execution.size = std::max(1u, high_half(words[3]));
  execution.predicted_us = words.real(4);
  execution.predicted_transfer_us = words.real(5);
  execution.footprint = words[6];
}

/// Where each worker has its own queue, who makes a task ready queues it for himself.
void Executions::note_steal(Worker& worker, Execution& execution) {
  TaskLife& life = *execution.life;
  const int32_t owner = life.pushed_by_worker;
  if (owner == kNoWorker || owner == static_cast<int32_t>(worker.id)) return;
  if (execution.size > 1 || !is_stealing(parts_->names.policy(life.context))) return;
  Worker* const victim = parts_->workers.find(static_cast<uint32_t>(owner));
  if (victim == nullptr || victim->lane == nullptr) return;
  execution.stolen_from = owner;
  const FlowEnd out = parts_->model.flows.start(life.push_ns, life.push_ns, FlowKind::kSteal);
  const Argument arguments[] = {
      {"task", life.id}, {"name", life.name}, {"by", std::string_view(worker.label)}};
  victim->lane->add_instant(life.push_ns, "queued, later stolen", kStarpuCategory, arguments,
                            {&out, 1});
  (*worker.lane)[execution.slice].flows.push_back(arrival_of(out, execution.begin_ns));
}

void Executions::end(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words) {
  Worker& worker = parts_->workers.at(thread, worker_id);
  for (size_t i = worker.executions.size(); i-- > 0;) {
    Execution& execution = worker.executions[i];
    if (execution.life->address != words[0] || execution.returned_ns != kNever) continue;
    if (execution.is_async) {
      execution.thread->tasks.end(*worker.lane, execution.slice);
      execution.returned_ns = at_ns;
    } else {
      finish(worker, i, at_ns);
    }
    return;
  }
  ++parts_->model.orphan_ends;
}

void Executions::pushed_output(Thread& thread, int64_t at_ns, uint32_t worker_id,
                               const Payload& words) {
  Worker& worker = parts_->workers.at(thread, worker_id);
  for (size_t i = 0; i < worker.executions.size(); ++i) {
    if (worker.executions[i].life->address != words[0]) continue;
    return finish(worker, i, at_ns);  // an asynchronous kernel has ended
  }
  if (worker.ended.task != 0 && (worker.ended.task == words[0] || worker.has_ended_parallel)) {
    const bool has_copied = worker.latest_copy_ns >= worker.ended.at_ns;
    scheduling_->add_phase(worker, worker.ended.at_ns, at_ns,
                           worker.has_ended_parallel ? "parallel barrier"
                           : has_copied              ? "push output"
                                                     : "complete task",
                           kPhaseCategory, worker.ended.task);
    if (worker.has_ended_parallel) leave_team(worker, at_ns);
    worker.ended = {};
  } else if (worker.fetched.task == words[0] && words[0] != 0) {
    add_member(worker, worker.fetched.at_ns, at_ns);
  }
  worker.fetched = {};
  if (worker.executions.empty()) scheduling_->set_busy(worker, false, at_ns);
}

/// In a fork-join task only the master calls the function; its team is between the two hooks.
void Executions::add_member(Worker& worker, int64_t begin_ns, int64_t end_ns) {
  const LifeRef master = find_team(worker, begin_ns);
  if (master == nullptr) {
    worker.lane->add_finished(begin_ns, end_ns, "part of a parallel task", kPhaseCategory, {});
    return;
  }
  const Argument argument{"task", master->id};
  worker.lane->add_finished(begin_ns, end_ns, master->name, kPhaseCategory, {&argument, 1});
}

void Executions::leave_team(const Worker& worker, int64_t at_ns) {
  for (auto& [combined, run] : parallel_runs_) {
    if (run.master == worker.id && run.life->address == worker.ended.task) run.left_ns = at_ns;
  }
}

/// The parallel task that the worker has taken part in since `begin_ns`.
LifeRef Executions::find_team(const Worker& worker, int64_t begin_ns) {
  for (const Worker& other : parts_->workers.all()) {
    for (const Execution& execution : other.executions) {
      if (execution.size > 1 && parts_->workers.is_member(execution.combined_worker, worker.id)) {
        return execution.life;
      }
    }
  }
  // A slow member may come when the master's function is over, but before he leaves the barrier at
  // the end; and the master may be the first to leave it.
  for (const auto& [combined, run] : parallel_runs_) {
    const bool was_there = run.left_ns == kNever || run.left_ns > begin_ns;
    if (was_there && parts_->workers.is_member(combined, worker.id)) return run.life;
  }
  return nullptr;
}

void Executions::finish(Worker& worker, size_t index, int64_t end_ns) {
  const Execution execution = std::move(worker.executions[index]);
  worker.executions.erase(worker.executions.begin() + static_cast<std::ptrdiff_t>(index));
  TaskLife& life = *execution.life;
  OpenSlice& slice = (*worker.lane)[execution.slice];
  arguments_.add(slice.arguments, worker, execution, end_ns);
  const CodeletFacts* const codelet = parts_->names.codelet(life.codelet);
  if (codelet != nullptr && codelet->name != 0) {
    slice.colour = parts_->model.strings.text(codelet->name);
  }
  if (life.submission.id != 0) {
    slice.flows.push_back(arrival_of(life.submission, execution.begin_ns));
  }
  Tasks& tasks = parts_->model.tasks;
  if (execution.is_first_rank) {
    parts_->model.arrows.draw_incoming(life.id, execution.begin_ns, slice.flows);
    // A task that StarPU does not free may be named by the program as long as it likes.
    const bool is_kept = life.was_submitted && (life.flags & (kDestroyed | kFieldsUnknown)) == 0 &&
                         parts_->dependencies.has_declared();
    parts_->model.arrows.draw_outgoing(life.id, tasks.may_be_waited_for(life.ref) || is_kept,
                                       slice.flows);
  }
  execution.thread->tasks.end(*worker.lane, execution.slice);
  worker.lane->close(execution.slice, end_ns);

  if (execution.size > 1 && parts_->workers.is_combined(execution.combined_worker)) {
    parallel_runs_[execution.combined_worker] = {execution.life, worker.id};
  }
  worker.ended = {life.address, end_ns};
  worker.has_ended_parallel = execution.size > 1;
  if (execution.is_async) worker.ended = {};
  const ThreadId thread = execution.thread->id;
  if (worker.executions.empty()) {
    scheduling_->set_busy(worker, false, end_ns);
    parts_->set_state(worker, parts_->has_scheduling ? WorkerState::kSchedule : WorkerState::kIdle,
                      end_ns, parts_->has_scheduling ? life.id : 0);
  } else {
    parts_->set_state(worker, WorkerState::kWork, end_ns, worker.executions.back().life->id);
  }
  parts_->counters.running.add(end_ns, -1);
  parts_->model.rows.add(row_of(worker, execution, end_ns));
  tasks.end(life.ref, end_ns, thread, worker.model_id);
  --life.running;
  if (life.running == 0 && life.executions % execution.size == 0) {
    lives_->finish(execution.life, end_ns, thread);
  }
}

void Executions::begin_callback(Thread& thread, int64_t at_ns, const Payload& words) {
  const LifeRef life = parts_->tasks.find(words[0]);
  const auto which = static_cast<CallbackKind>(words[2]);
  if (life != nullptr && !life->has_work && which == CallbackKind::kAtEnd) {
    lives_->finish(life, at_ns, thread.id);
  }
  if (life != nullptr) {
    parts_->model.tasks.step(life->ref, StepKind::kCallback, at_ns, thread.id);
  }
  if (Worker* const worker = parts_->workers.of(thread)) {
    worker->state_around = parts_->model.worker_states.state(worker->model_id);
    parts_->set_state(*worker, WorkerState::kCallback, at_ns, life != nullptr ? life->id : 0);
  }
  const Call& call = parts_->calls.open(thread, at_ns, CallKind::kCallback, words[0],
                                        name_of(which), kPhaseCategory);
  ArgumentList& arguments = thread.lane[call.slice].arguments;
  if (life != nullptr) {
    arguments.append({"task", life->id});
    arguments.append({"name", life->name});
  }
  if (words[1] != 0) arguments.append({"function", parts_->names.function(words[1])});
}

void Executions::end_callback(Thread& thread, int64_t at_ns, const Payload& words) {
  if (parts_->calls.find_ending(thread, at_ns, CallKind::kCallback, words[0]) != nullptr) {
    parts_->calls.close(thread, at_ns);
  }
  Worker* const worker = parts_->workers.of(thread);
  if (worker != nullptr && worker->executions.empty()) {
    parts_->set_state(*worker, worker->state_around, at_ns);
  }
}

void Executions::forget_task(Thread& thread, int64_t at_ns, uint64_t task) {
  const LifeRef life = parts_->tasks.find(task);
  if (life == nullptr) return;
  if (life->running > 0) close_lost(task, at_ns, "inferred");
  lives_->finish(life, at_ns, thread.id);
  parts_->tasks.end(task);
}

void Executions::close_stale(uint64_t task, int64_t at_ns) {
  const LifeRef life = parts_->tasks.find(task);
  if (life != nullptr && life->running > 0) close_lost(task, at_ns, "lost");
}

void Executions::close_lost(uint64_t task, int64_t at_ns, std::string_view why) {
  for (Worker& worker : parts_->workers.all()) {
    for (size_t i = worker.executions.size(); i-- > 0;) {
      if (worker.executions[i].life->address != task) continue;
      (*worker.lane)[worker.executions[i].slice].arguments.add({"end", why});
      finish(worker, i, at_ns);
    }
  }
}

void Executions::close_all(int64_t end_ns) {
  for (Worker& worker : parts_->workers.all()) {
    while (!worker.executions.empty()) {
      (*worker.lane)[worker.executions.back().slice].arguments.add({"unfinished", true});
      // The task counts as unfinished too: nothing shows that its work was done.
      worker.executions.back().life->is_finished = true;
      finish(worker, worker.executions.size() - 1, end_ns);
    }
  }
  parallel_runs_.clear();
}

}  // namespace perseid::starpu::decoding
