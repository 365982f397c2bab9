// ompt/decode/task_decoder.cpp: reports tasks to the model, and draws them.
#include "ompt/decode/task_decoder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace perseid::ompt {
namespace {

std::string kind_text(uint32_t flags) {
  struct Word {
    uint32_t flag;
    const char* text;
  };
  constexpr Word kWords[] = {{kTaskUndeferred, "undeferred"}, {kTaskUntied, "untied"},
                             {kTaskFinal, "final"},           {kTaskMergeable, "mergeable"},
                             {kTaskMerged, "merged"},         {kTaskTarget, "target"}};
  std::string text;
  for (const Word& word : kWords) {
    if ((flags & word.flag) == 0) continue;
    if (!text.empty()) text += ' ';
    text += word.text;
  }
  return text;
}

}  // namespace

/// A runtime's own address is of no use. Inside a taskloop its line is meant; the tasks with which
/// the runtime splits a large one create others in its name.
uint64_t TaskDecoder::code_of(const Task* creator, uint64_t code, uint64_t ticks) {
  if (context_->names.is_in_program(code, ticks)) return code;
  if (creator == nullptr) return 0;
  return creator->taskloop_code != 0 ? creator->taskloop_code : creator->code;
}

void TaskDecoder::create(ThreadStack& stack, Moment now, uint32_t flags,
                         std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  Task* creator = stack.running();
  const uint64_t code = code_of(creator, words[1], now.ticks);
  const uint64_t creator_id = creator != nullptr ? creator->id : 0;
  Task& task = context_->add_task(words[0], stack, now.ns);
  creator = context_->tasks.find(creator_id);
  task.flags = flags;
  task.code = code;
  task.name = context_->names.of(Construct::kTask, code, now.ticks);
  if (creator != nullptr && creator != &task) {
    task.parent = creator->id;
    task.enclosing = creator->enclosing;
    ++creator->children.unfinished;
    task.member_of = task.innermost = creator->innermost;
    if (task.member_of) ++task.member_of->tasks.unfinished;
  }
  if (task.is_wait()) stack.begin_dependence_wait(task.id);
  uint32_t row_flags = 0;
  if (task.is_wait()) row_flags |= kTaskWithoutWork;
  if ((flags & kTaskUndeferred) != 0) row_flags |= kTaskIsUndeferred;
  context_->submit(task, row_flags, stack, now.ns);
  const FlowEnd out = context_->model.flows.start(now.ns, now.ns, FlowKind::kSubmission);
  task.creation = {out.id, out.source_begin_ns, out.kind};
  const Argument argument{"task", task.number};
  stack.thread().lane.add_instant(now.ns, context_->names.of(Construct::kCreate, code, now.ticks),
                                  kCreateCategory, {&argument, 1}, {&out, 1});
}

/// Ids come from the file: they may be those of implicit tasks.
Task* TaskDecoder::find_explicit(uint64_t id) {
  Task* const task = context_->tasks.find(id);
  return task != nullptr && task->is_explicit() ? task : nullptr;
}

void TaskDecoder::depend(Moment now, uint64_t id, std::span<const uint64_t> dependences) {
  Task* const task = find_explicit(id);
  if (task == nullptr || task->is_over) return;
  Task* const parent = context_->tasks.find(task->parent);
  if (parent == nullptr || parent == task) return;
  if (!parent->scope) parent->scope = std::make_unique<DependenceScope>();
  Tasks& tasks = context_->model.tasks;
  const bool was_blocked = tasks.is_blocked(task->ref);
  task->has_dependences = true;
  task->depends_on += parent->scope->add(tasks, task->ref, dependences, now.ns);
  if (was_blocked || !tasks.is_blocked(task->ref) || task->intervals > 0) return;
  if (task->is_wait()) return;
  tasks.step(task->ref, StepKind::kBlocked, now.ns, 0);
  context_->counters.ready.add(now.ns, -1);
  context_->counters.blocked.add(now.ns, 1);
}

/// If the task is on this thread's stack, it goes on with what it was doing, and the tasks above
/// it are left; else it begins or is resumed.
void TaskDecoder::switch_to(ThreadStack& stack, Moment now, uint64_t next) {
  if (next == 0) return;  // created while nothing was recorded
  const size_t at = stack.find_task(next);
  if (at == ThreadStack::kNone) return start(stack, now, next);
  leave_above(stack, now, at);
}

void TaskDecoder::switch_to_implicit(ThreadStack& stack, Moment now) {
  const size_t at = stack.find_innermost(FrameKind::kImplicit);
  if (at != ThreadStack::kNone) leave_above(stack, now, at);
}

void TaskDecoder::leave_above(ThreadStack& stack, Moment now, size_t index) {
  for (size_t i = index + 1; i < stack.size(); ++i) {
    if (stack[i].kind == FrameKind::kTask) return stack.pop_to(i, now.ns);
  }
}

void TaskDecoder::start(ThreadStack& stack, Moment now, uint64_t id) {
  Task* task = context_->tasks.find(id);
  if (task == nullptr) {
    task = &context_->tasks.add(id);
    task->name = context_->names.of(Construct::kTask, 0, now.ticks);
    context_->submit(*task, kTaskUnsubmitted, stack, now.ns);
  }
  if (!task->is_explicit()) return;
  Tasks& tasks = context_->model.tasks;
  if (++task->intervals == 1) {
    context_->leave_queue(*task, now.ns);
    tasks.begin(task->ref, now.ns, stack.id(), stack.worker);
  } else {
    tasks.step(task->ref, StepKind::kResume, now.ns, stack.id(), stack.worker);
  }
  // Readers take an arrow's direction from the begins of its slices: a task that starts in the
  // nanosecond of its creation begins in the next one.
  const bool is_tied = task->creation.id != 0 && task->creation.source_begin_ns == now.ns;
  Frame& frame = stack.push(FrameKind::kTask, now.ns + (is_tied ? 1 : 0), task->name, kTaskCategory,
                            task->number);
  frame.id = id;
  OpenSlice& slice = stack.slice(frame);
  describe(slice, *task, now);
  if (task->creation.id != 0) slice.flows.push_back(task->creation.arriving(now.ns));
  if (task->suspension.id != 0) slice.flows.push_back(task->suspension.arriving(now.ns));
  task->creation = {};
  task->suspension = {};
  draw_dependences(*task, now, slice.flows);
}

void TaskDecoder::describe(OpenSlice& slice, const Task& task, Moment now) {
  slice.arguments.add({"task", task.number});
  if (task.intervals > 1) {
    slice.arguments.add({"interval", uint64_t{task.intervals}});
    return;
  }
  if (const Task* const parent = context_->tasks.find(task.parent); parent && parent->number != 0) {
    slice.arguments.add({"parent", parent->number});
  }
  const std::string kind = kind_text(task.flags);
  if (!kind.empty()) slice.arguments.add({"kind", std::string_view(kind)});
  slice.arguments.add({"queued_ns", now.ns - context_->model.tasks.ready_ns(task.ref)});
  if (task.has_dependences) slice.arguments.add({"depends_on", task.depends_on});
}

/// In the order of the tasks' ends.
void TaskDecoder::draw_dependences(const Task& task, Moment now, std::vector<FlowEnd>& to) {
  if (!task.has_dependences) return;
  const auto known = static_cast<std::ptrdiff_t>(to.size());
  context_->model.arrows.draw_incoming(task.number, now.ns, to);
  std::sort(to.begin() + known, to.end(),
            [](const FlowEnd& a, const FlowEnd& b) { return a.id < b.id; });
}

void TaskDecoder::end(ThreadStack& stack, Moment now, uint32_t status,
                      std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  Task* const task = find_explicit(words[0]);
  const size_t at = words[0] != 0 ? stack.find(FrameKind::kTask, words[0]) : ThreadStack::kNone;
  if (at != ThreadStack::kNone) stack.pop_to(at + 1, now.ns);
  if (task != nullptr) {
    if (static_cast<TaskStatus>(status) == TaskStatus::kDetach) {
      if (!task->is_detached && context_->model.tasks.is_running(task->ref)) {
        context_->model.tasks.end(task->ref, now.ns, stack.id(), stack.worker);
      }
      task->is_detached = true;
    } else if (at != ThreadStack::kNone) {
      OpenSlice& slice = stack.slice(stack[at]);
      if (static_cast<TaskStatus>(status) == TaskStatus::kCancel) {
        slice.arguments.add({"cancelled", true});
      }
      complete(*task, stack, now, slice.begin_ns, slice.flows);
    } else {
      scratch_.clear();
      complete(*task, stack, now, now.ns, scratch_);
      const Argument argument{"task", task->number};
      stack.thread().lane.add_instant(now.ns, "task cancelled", kNoteCategory, {&argument, 1},
                                      scratch_);
    }
  }
  if (at != ThreadStack::kNone) stack.pop(now.ns);
  if (task != nullptr && task->is_over) context_->forget(*task, stack, now.ns);
  switch_to(stack, now, words[1]);
}

void TaskDecoder::return_to(ThreadStack& stack, Moment now, uint32_t lower_half) {
  uint64_t above = 0;
  bool is_running_it = false;
  for (size_t i = stack.size(); i-- > 0;) {
    const Frame& frame = stack[i];
    if (frame.kind != FrameKind::kTask && frame.kind != FrameKind::kImplicit) continue;
    const bool is_implicit = frame.kind == FrameKind::kImplicit;
    if (is_implicit ? lower_half == 0 : static_cast<uint32_t>(frame.id) == lower_half) {
      if (above != 0) {
        const uint64_t words[] = {above, frame.id};
        return end(stack, now, static_cast<uint32_t>(TaskStatus::kComplete), words);
      }
      // Nothing ran above it: the record of a switch is lost. But a task that another thread made
      // may have the lower half of the one below it, which then is meant.
      if (is_implicit) return;
      is_running_it = true;
    }
    above = is_implicit ? 0 : frame.id;
  }
  if (is_running_it) return;
  // The task below began before the records that are there: what it ran is complete anyway.
  const Task* const running = stack.running();
  if (running == nullptr || !running->is_explicit()) return;
  const uint64_t words[] = {running->id, 0};
  end(stack, now, static_cast<uint32_t>(TaskStatus::kComplete), words);
}

/// Everything that hangs on the task's end. The arrows start at what `source_begin_ns` begins.
void TaskDecoder::complete(Task& task, ThreadStack& stack, Moment now, int64_t source_begin_ns,
                           std::vector<FlowEnd>& flows) {
  if (task.is_over) return;
  Task* const parent = context_->tasks.find(task.parent);
  if (parent != nullptr) leave(parent->children, stack.stream(), now, source_begin_ns, flows);
  if (task.member_of) leave(task.member_of->tasks, stack.stream(), now, source_begin_ns, flows);
  context_->finish(task, stack, now.ns);
  if (!task.has_dependences) return;
  // Tasks that the parent is still to create may wait for it.
  context_->model.arrows.open(task.number, source_begin_ns);
  context_->model.arrows.draw_outgoing(task.number, parent != nullptr, flows);
}

void TaskDecoder::leave(WaitedTasks& waited, uint32_t stream, Moment now, int64_t source_begin_ns,
                        std::vector<FlowEnd>& flows) {
  if (waited.unfinished == 0 || --waited.unfinished > 0) return;
  // On the waiting thread itself the last task is inside the wait: nesting shows it.
  if (waited.waiter == 0 || waited.waiter == stream) return;
  const FlowEnd out = context_->model.flows.start(now.ns, source_begin_ns, FlowKind::kJoin);
  flows.push_back(out);
  waited.last = {out.id, out.source_begin_ns, out.kind};
}

/// What happens to a task without any thread changing over to another.
void TaskDecoder::note(ThreadStack& stack, Moment now, uint32_t status, uint64_t id) {
  if (static_cast<TaskStatus>(status) == TaskStatus::kTaskwaitComplete) {
    id = stack.dependence_wait();
    stack.end_dependence_wait();
  }
  Task* const task = find_explicit(id);
  const Argument argument{"task", task != nullptr ? task->number : 0};
  scratch_.clear();
  const auto show = [&](const char* name) {
    stack.thread().lane.add_instant(now.ns, name, kNoteCategory, {&argument, 1}, scratch_);
  };
  switch (static_cast<TaskStatus>(status)) {
    case TaskStatus::kEarlyFulfill:
      return show("event fulfilled");
    case TaskStatus::kLateFulfill:
      if (task != nullptr) complete(*task, stack, now, now.ns, scratch_);
      show("event fulfilled");
      break;
    case TaskStatus::kTaskwaitComplete:
      if (task != nullptr) {
        draw_dependences(*task, now, scratch_);
        complete(*task, stack, now, now.ns, scratch_);
      }
      show("dependences satisfied");
      break;
    default:
      return;
  }
  if (task != nullptr) context_->forget(*task, stack, now.ns);
}

}  // namespace perseid::ompt
