// ompt/decode/thread_stack.cpp: opens and closes slices with the frames.
#include "ompt/decode/thread_stack.h"

namespace perseid::ompt {
namespace {

/// Deeper than any program nests: ends must be missing. Searches go through all frames.
constexpr size_t kMaxFrames = 4096;

/// What a call to a device may be made for.
constexpr bool is_work(FrameKind kind) {
  return kind == FrameKind::kTask || kind == FrameKind::kImplicit || kind == FrameKind::kTarget ||
         kind == FrameKind::kRegion;  // its slice stands for the implicit task of the thread
}

}  // namespace

Frame& ThreadStack::push(FrameKind kind, int64_t at_ns, std::string_view name,
                         const Category& category, TaskId task) {
  Frame& frame = push_hidden(kind, at_ns);  // first: it may have to close another
  frame.has_slice = true;
  frame.slice = thread_->lane.open(at_ns, name, category);
  frame.task = task;
  if (is_work(kind)) thread_->tasks.begin(thread_->lane, frame.slice, task);
  return frame;
}

Frame& ThreadStack::push_hidden(FrameKind kind, int64_t at_ns) {
  while (frames_.size() >= kMaxFrames) pop(at_ns);
  Frame& frame = frames_.emplace_back();
  frame.kind = kind;
  frame.begin_ns = at_ns;
  return frame;
}

void ThreadStack::pop(int64_t at_ns) {
  const Frame popped = frames_.back();
  close(frames_.back(), at_ns);
  frames_.pop_back();
  if (popped.kind == FrameKind::kTask && !frames_.empty() &&
      frames_.back().kind == FrameKind::kWait) {
    frames_.back().tasks_ns += at_ns - popped.begin_ns;
    ++frames_.back().tasks;
  }
}

void ThreadStack::take_out(size_t index, int64_t at_ns) {
  close(frames_[index], at_ns);
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(index));
}

void ThreadStack::close(Frame& frame, int64_t at_ns) {
  if (!frame.has_slice) return;
  OpenSlice& open = slice(frame);
  if (frame.kind == FrameKind::kWait) {
    open.arguments.add({"waited_ns", at_ns - frame.begin_ns - frame.tasks_ns});
    if (frame.tasks > 0) open.arguments.add({"tasks_run", uint64_t{frame.tasks}});
    report_wait(frame, at_ns, open.name);
  } else if (frame.kind == FrameKind::kTask) {
    Task* const task = tasks_->find(frame.id);
    if (task != nullptr && task->is_explicit() && !task->is_over && !task->is_detached) {
      const FlowEnd out = model_->flows.start(at_ns, open.begin_ns, FlowKind::kResume);
      open.flows.push_back(out);
      task->suspension = {out.id, out.source_begin_ns, out.kind};
      if (!is_cut) model_->tasks.step(task->ref, StepKind::kSuspend, at_ns, id_, worker);
    }
  }
  if (is_work(frame.kind)) thread_->tasks.end(thread_->lane, frame.slice);
  thread_->lane.close(frame.slice, at_ns);
}

void ThreadStack::report_wait(const Frame& frame, int64_t end_ns, std::string_view name) {
  WaitRow row;
  row.begin_ns = frame.begin_ns;
  row.end_ns = end_ns;
  row.thread = id_;
  row.name = model_->names.of_lasting(name);
  switch (static_cast<SyncKind>(frame.detail)) {
    case SyncKind::kTaskwait:
      row.kind = WaitKind::kTaskwait;
      break;
    case SyncKind::kTaskgroup:
      row.kind = WaitKind::kTaskgroup;
      break;
    default:
      row.kind = WaitKind::kBarrier;
      break;
  }
  row.object = frame.id;
  model_->rows.add(row);
}

size_t ThreadStack::find(FrameKind kind, uint64_t id) const noexcept {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == kind && frames_[i].id == id) return i;
  }
  return kNone;
}

size_t ThreadStack::find_innermost(FrameKind kind) const noexcept {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == kind) return i;
  }
  return kNone;
}

size_t ThreadStack::find_task(uint64_t id) const noexcept {
  for (size_t i = frames_.size(); i-- > 0;) {
    const bool is_task =
        frames_[i].kind == FrameKind::kTask || frames_[i].kind == FrameKind::kImplicit;
    if (is_task && frames_[i].id == id) return i;
  }
  return kNone;
}

size_t ThreadStack::innermost_task() const noexcept {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == FrameKind::kTask || frames_[i].kind == FrameKind::kImplicit) return i;
  }
  return kNone;
}

size_t ThreadStack::find_own(FrameKind kind) const noexcept {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == kind) return i;
    if (frames_[i].kind == FrameKind::kTask || frames_[i].kind == FrameKind::kImplicit) break;
  }
  return kNone;
}

Task* ThreadStack::running() noexcept {
  const size_t at = innermost_task();
  return at != kNone ? tasks_->find(frames_[at].id) : nullptr;
}

}  // namespace perseid::ompt
