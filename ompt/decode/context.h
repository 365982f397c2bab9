// ompt/decode/context.h: what the parts of the decoder share.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "ompt/decode/construct_names.h"
#include "ompt/decode/counters.h"
#include "ompt/decode/task_table.h"
#include "ompt/decode/thread_stack.h"

namespace perseid::ompt {

inline constexpr Category kParallelCategory{"openmp.parallel", SliceRole::kPhase};
inline constexpr Category kTaskCategory{"openmp.task", SliceRole::kWork};
inline constexpr Category kCreateCategory{"openmp.create", SliceRole::kSubmission};
inline constexpr Category kWaitCategory{"openmp.wait", SliceRole::kWait};
inline constexpr Category kWorkCategory{"openmp.work", SliceRole::kWork};
inline constexpr Category kMutexCategory{"openmp.mutex"};
inline constexpr Category kTargetCategory{"openmp.target"};
inline constexpr Category kNoteCategory{"openmp"};

/// One record, with its moment on both clocks.
struct Moment {
  int64_t ns;
  uint64_t ticks;
};

struct Context {
  explicit Context(Model& to) : model(to), names(to.symbols), counters(to) {}

  /// Ids come from the file: one that is there already has no end.
  Task& add_task(uint64_t id, ThreadStack& stack, int64_t at_ns) {
    if (Task* const known = tasks.find(id)) forget(*known, stack, at_ns);
    return tasks.add(id);
  }
  /// The task is submitted to the model, and ready as far as is known.
  void submit(Task& task, uint32_t row_flags, ThreadStack& stack, int64_t at_ns) {
    TaskRow row;
    row.parent = task.enclosing;
    row.name = row.kind = model.names.of_lasting(task.name);
    row.submitted_by = (row_flags & kTaskUnsubmitted) == 0 ? stack.id() : 0;
    row.flags = row_flags;
    row.runtime = Runtime::kOpenmp;
    task.ref = model.tasks.submit(row, at_ns);
    task.number = task.enclosing = model.tasks.id(task.ref);
    if (task.is_wait()) return;  // is settled when it is over
    model.tasks.settle(task.ref, at_ns, stack.id(), false);
    counters.submitted.add(at_ns, 1);
    counters.ready.add(at_ns, 1);
  }
  /// The task is taken by a thread, or never will be.
  void leave_queue(const Task& task, int64_t at_ns) {
    if (task.is_wait()) return;
    (model.tasks.is_blocked(task.ref) ? counters.blocked : counters.ready).add(at_ns, -1);
  }
  /// Everything that waits only for the task becomes ready.
  void finish(Task& task, ThreadStack& stack, int64_t at_ns) {
    task.is_over = true;
    if (task.intervals == 0) leave_queue(task, at_ns);
    if (!task.is_wait()) counters.submitted.add(at_ns, -1);
    if (model.tasks.is_running(task.ref)) {
      model.tasks.end(task.ref, at_ns, stack.id(), stack.worker);
    }
    const std::vector<StepRow>& steps = model.rows.current().steps;
    const size_t known = steps.size();
    model.tasks.settle(task.ref, at_ns, stack.id(), false);
    model.tasks.finish(task.ref, at_ns, stack.id());
    const auto unblocked = std::count_if(
        steps.begin() + static_cast<std::ptrdiff_t>(known), steps.end(), [&](const StepRow& step) {
          return step.kind == StepKind::kReady && step.task != task.number;
        });
    if (unblocked == 0) return;
    counters.blocked.add(at_ns, static_cast<double>(-unblocked));
    counters.ready.add(at_ns, static_cast<double>(unblocked));
  }
  /// No more records are about the task.
  void forget(Task& task, ThreadStack& stack, int64_t at_ns) {
    if (task.scope) task.scope->clear(model.tasks, at_ns);
    if (task.is_explicit()) {
      if (!task.is_over) finish(task, stack, at_ns);
      model.tasks.release(task.ref, at_ns);
    }
    tasks.remove(task);
  }

  ThreadStack& stack(Thread& thread) {
    // Not by the stream: its number comes from the file and may be any.
    const size_t index = thread.lane.track();
    if (stacks.size() <= index) stacks.resize(index + 1);
    if (!stacks[index]) {
      // Threads have the first tracks.
      const auto id = static_cast<ThreadId>(index - model.threads[0].lane.track() + 1);
      stacks[index] = std::make_unique<ThreadStack>(model, tasks, thread, id);
    }
    return *stacks[index];
  }

  /// A construct without an address of its own is named after the task that contains it.
  std::string_view name(Construct construct, ThreadStack& stack, uint64_t code, Moment now) {
    if (!names.is_in_program(code, now.ticks)) {
      const Task* const task = stack.running();
      code = task != nullptr ? task->code : 0;
    }
    return names.of(construct, code, now.ticks);
  }

  /// After a record of the thread: it may have become idle, or have begun to run a task.
  void count_state(ThreadStack& stack, int64_t at_ns) {
    const bool is_waiting = !stack.is_empty() && stack.back().kind == FrameKind::kWait;
    const bool is_idle = stack.is_alive && (is_waiting || (stack.is_worker && stack.is_empty()));
    if (is_idle != stack.is_counted_idle) {
      counters.idle.add(at_ns, is_idle ? 1 : -1);
      stack.is_counted_idle = is_idle;
    }
    const size_t task = is_waiting ? ThreadStack::kNone : stack.innermost_task();
    const bool is_running = task != ThreadStack::kNone && stack[task].kind == FrameKind::kTask;
    if (is_running != stack.is_counted_running) {
      counters.running.add(at_ns, is_running ? 1 : -1);
      stack.is_counted_running = is_running;
    }
    const WorkerState state = state_of(stack);
    const bool is_at_task = is_running && state != WorkerState::kIdle;
    model.worker_states.set(stack.worker, state, at_ns, is_at_task ? stack[task].task : 0);
  }

  /// What it does outside tasks is its part of a region, or the serial part of the program.
  static WorkerState state_of(ThreadStack& stack) {
    if (stack.is_empty()) return WorkerState::kIdle;
    if (stack.wants_lock) return WorkerState::kLock;
    const Frame& top = stack.back();
    if (top.kind == FrameKind::kTarget) return WorkerState::kTarget;
    if (top.kind != FrameKind::kWait) return WorkerState::kWork;
    const auto what = static_cast<SyncKind>(top.detail);
    const bool is_for_tasks = what == SyncKind::kTaskwait || what == SyncKind::kTaskgroup;
    return is_for_tasks ? WorkerState::kTaskwait : WorkerState::kBarrier;
  }

  Model& model;
  ConstructNames names;
  TaskTable tasks;
  Counters counters;
  std::vector<std::unique_ptr<ThreadStack>>
      stacks;  // by the threads' tracks, which are in order of streams
};

}  // namespace perseid::ompt
