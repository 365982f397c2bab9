// ompt/decode/wait_decoder.cpp: waits are frames; a mutex that is wanted is not.
#include "ompt/decode/wait_decoder.h"

namespace perseid::ompt {
namespace {

/// A mutex that is free is taken in less; a wait is shown from here on.
constexpr int64_t kShownWaitNs = 1000;

struct MutexNames {
  Construct held;
  Construct wanted;
};

MutexNames names_of(uint32_t kind) {
  switch (static_cast<MutexKind>(kind)) {
    case MutexKind::kCritical:
      return {Construct::kCritical, Construct::kWaitCritical};
    case MutexKind::kOrdered:
      return {Construct::kOrdered, Construct::kWaitOrdered};
    case MutexKind::kAtomic:
      return {Construct::kAtomic, Construct::kWaitAtomic};
    case MutexKind::kNestLock:
    case MutexKind::kTestNestLock:
      return {Construct::kNestLock, Construct::kWaitNestLock};
    default:
      return {Construct::kLock, Construct::kWaitLock};
  }
}

}  // namespace

void WaitDecoder::sync_begin(ThreadStack& stack, Moment now, uint32_t kind,
                             std::span<const uint64_t> words) {
  const uint64_t code = words.empty() ? 0 : words[0];
  Task* const task = stack.running();
  switch (static_cast<SyncKind>(kind)) {
    case SyncKind::kReduction: {
      const auto name = context_->name(Construct::kReduction, stack, code, now);
      stack.push(FrameKind::kWork, now.ns, name, kWorkCategory).detail = kind;
      return;
    }
    case SyncKind::kTaskgroup: {
      const auto name = context_->name(Construct::kTaskgroup, stack, code, now);
      stack.push(FrameKind::kGroup, now.ns, name, kWorkCategory);
      if (task == nullptr) return;
      auto group = std::make_shared<Taskgroup>();
      group->outer = std::move(task->innermost);
      task->innermost = std::move(group);
      return;
    }
    default:
      break;
  }
  const bool is_taskwait = static_cast<SyncKind>(kind) == SyncKind::kTaskwait;
  if (!is_taskwait) {
    // Work sharing is over before a barrier; gcc's `single` does not report that.
    for (size_t at = stack.find_own(FrameKind::kWork); at != ThreadStack::kNone;
         at = stack.find_own(FrameKind::kWork)) {
      stack.pop_to(at, now.ns);
    }
  } else if (task != nullptr) {
    task->children.waiter = stack.stream();
    task->children.last = {};
  }
  if (!stack.is_empty() && stack.back().kind == FrameKind::kWait) stack.pop(now.ns);
  const auto name =
      context_->name(is_taskwait ? Construct::kTaskwait : Construct::kBarrier, stack, code, now);
  Frame& frame = stack.push(FrameKind::kWait, now.ns, name, kWaitCategory);
  frame.detail = kind;
  if (task != nullptr) frame.id = is_taskwait ? task->enclosing : task->region;
  stack.report_wait_begin();
}

void WaitDecoder::sync_end(ThreadStack& stack, Moment now, uint32_t kind) {
  Task* const task = stack.running();
  switch (static_cast<SyncKind>(kind)) {
    case SyncKind::kReduction: {
      const size_t at = stack.find_own(FrameKind::kWork);
      if (at != ThreadStack::kNone && stack[at].detail == kind) stack.pop_to(at, now.ns);
      return;
    }
    case SyncKind::kTaskgroup: {
      const size_t at = stack.find_own(FrameKind::kGroup);
      if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
      if (task != nullptr && task->innermost && task->innermost != task->member_of) {
        task->innermost = task->innermost->outer;
      }
      return;
    }
    default:
      break;
  }
  const size_t at = stack.find_own(FrameKind::kWait);
  if (at == ThreadStack::kNone) return;  // its region was over before; see parallel_end
  stack.pop_to(at, now.ns);
  if (task != nullptr && static_cast<SyncKind>(kind) == SyncKind::kTaskwait) {
    show_last(stack, now, task->children);
  }
}

void WaitDecoder::group_wait_begin(ThreadStack& stack, Moment now) {
  Task* const task = stack.running();
  if (task != nullptr && task->innermost) task->innermost->tasks.waiter = stack.stream();
  const auto name = context_->name(Construct::kTaskgroupWait, stack, 0, now);
  Frame& frame = stack.push(FrameKind::kWait, now.ns, name, kWaitCategory);
  frame.detail = static_cast<uint32_t>(SyncKind::kTaskgroup);
  if (task != nullptr) frame.id = task->enclosing;
  stack.report_wait_begin();
}

void WaitDecoder::group_wait_end(ThreadStack& stack, Moment now) {
  Task* const task = stack.running();
  const size_t at = stack.find_own(FrameKind::kWait);
  if (at != ThreadStack::kNone) stack.pop_to(at, now.ns);
  if (task != nullptr && task->innermost) show_last(stack, now, task->innermost->tasks);
}

void WaitDecoder::show_last(ThreadStack& stack, Moment now, WaitedTasks& waited) {
  if (waited.last.id != 0) {
    const FlowEnd in = waited.last.arriving(now.ns);
    stack.thread().lane.add_instant(now.ns, "last task done", kNoteCategory, {}, {&in, 1});
  }
  waited.waiter = 0;
  waited.last = {};
}

void WaitDecoder::mutex_acquire(ThreadStack& stack, Moment now, uint32_t kind,
                                std::span<const uint64_t> words) {
  if (words.size() < 2) return;
  const bool is_test = static_cast<MutexKind>(kind) == MutexKind::kTestLock ||
                       static_cast<MutexKind>(kind) == MutexKind::kTestNestLock;
  stack.wants_lock = !is_test;
  // One that is there already is a test that failed.
  wishes_[&stack] = {words[0], kind, words[1], now};
}

void WaitDecoder::mutex_acquired(ThreadStack& stack, Moment now, uint32_t kind,
                                 std::span<const uint64_t> words) {
  if (words.empty()) return;
  Wish wish;
  if (const auto found = wishes_.find(&stack); found != wishes_.end()) {
    if (found->second.mutex == words[0]) wish = found->second;
    wishes_.erase(found);
  }
  const MutexNames names = names_of(kind);
  const Argument mutex{"mutex", Pointer{words[0]}};
  const int64_t waited_ns = wish.mutex != 0 ? now.ns - wish.since.ns : 0;
  if (waited_ns >= kShownWaitNs) {
    const auto name = context_->name(names.wanted, stack, wish.code, now);
    stack.thread().lane.add_finished(wish.since.ns, now.ns, name, kWaitCategory, {&mutex, 1});
    report(stack, wish, now.ns, name);
  }
  Frame& frame = stack.push(FrameKind::kMutex, now.ns,
                            context_->name(names.held, stack, wish.code, now), kMutexCategory);
  frame.id = words[0];
  OpenSlice& slice = stack.slice(frame);
  slice.arguments.add(mutex);
  slice.arguments.add({"waited_ns", waited_ns});
}

void WaitDecoder::mutex_released(ThreadStack& stack, Moment now, std::span<const uint64_t> words) {
  if (words.empty()) return;
  const size_t at = stack.find(FrameKind::kMutex, words[0]);
  if (at != ThreadStack::kNone) stack.take_out(at, now.ns);
}

void WaitDecoder::finish(int64_t end_ns) {
  for (auto& [stack, wish] : wishes_) {
    if (stack->thread().last_ns > wish.since.ns) continue;
    const Argument arguments[] = {{"mutex", Pointer{wish.mutex}}, {"unfinished", true}};
    const auto name = context_->name(names_of(wish.kind).wanted, *stack, wish.code, wish.since);
    stack->thread().lane.add_finished(wish.since.ns, end_ns, name, kWaitCategory, arguments);
    report(*stack, wish, end_ns, name);
  }
}

void WaitDecoder::report(ThreadStack& stack, const Wish& wish, int64_t end_ns,
                         std::string_view name) {
  WaitRow row;
  row.begin_ns = wish.since.ns;
  row.end_ns = end_ns;
  row.object = wish.mutex;
  row.thread = stack.id();
  row.name = context_->model.names.of_lasting(name);
  row.kind = WaitKind::kLock;
  context_->model.rows.add(row);
}

}  // namespace perseid::ompt
