// timeline/model/data_order.cpp: groups of accesses.
#include "timeline/model/data_order.h"

#include <utility>

namespace perseid {

void DataOrder::access(Tasks& tasks, AccessKind kind, Tasks::Ref task, DataId data, int64_t at_ns) {
  const bool joins = kind == current_.kind && kind != AccessKind::kWrite;
  if (!joins && current_.node != Tasks::kNone) close(tasks, data, at_ns);
  current_.kind = kind;
  if (before_.node != Tasks::kNone) tasks.depend(task, before_.node, EdgeCause::kData, data);
  if (!reductions_.empty() && reductions_.back().result == before_.node &&
      reductions_.back().first_user == Tasks::kNone) {
    reductions_.back().first_user = task;
    tasks.hold(task);
  }
  join(tasks, task, data, at_ns);
}

/// The current group becomes the one before, and no more members come to it.
void DataOrder::close(Tasks& tasks, DataId data, int64_t at_ns) {
  drop(tasks, before_, at_ns);
  before_ = std::exchange(current_, Group{});
  if (before_.node == Tasks::kNone) return;
  if (before_.is_joint) tasks.seal(before_.node, at_ns);
  if (before_.kind != AccessKind::kReduction) return;
  forget_used(tasks, at_ns);
  Reduction reduction;
  reduction.parts = before_.node;
  reduction.result = tasks.make_group();
  tasks.depend(reduction.result, reduction.parts, EdgeCause::kMember, data);
  tasks.seal(reduction.result, at_ns);  // tasks that join it come when its parts are done
  tasks.hold(reduction.result);         // by `before_` as well as by the list
  before_.node = reduction.result;
  before_.is_joint = true;
  reductions_.push_back(reduction);
}

void DataOrder::join(Tasks& tasks, Tasks::Ref task, DataId data, int64_t at_ns) {
  if (current_.node == Tasks::kNone) {
    current_.node = task;
    current_.is_joint = false;
    tasks.hold(task);
    return;
  }
  if (!current_.is_joint) {
    const Tasks::Ref first = current_.node;
    current_.node = tasks.make_group();
    current_.is_joint = true;
    tasks.depend(current_.node, first, EdgeCause::kMember, data);
    tasks.release(first, at_ns);
  }
  tasks.depend(current_.node, task, EdgeCause::kMember, data);
}

void DataOrder::join_reduction(Tasks& tasks, Tasks::Ref task, DataId data, int64_t at_ns) {
  forget_used(tasks, at_ns);
  // Somebody wants the result who has no access of his own, as when the data are unregistered.
  if (reductions_.empty() && current_.kind == AccessKind::kReduction &&
      current_.node != Tasks::kNone) {
    close(tasks, data, at_ns);
  }
  if (reductions_.empty()) return;
  tasks.depend(task, reductions_.front().parts, EdgeCause::kData, data);
  tasks.depend(reductions_.front().result, task, EdgeCause::kMember, data);
}

/// Reductions whose result somebody uses already are complete: no task that joins them will come.
void DataOrder::forget_used(Tasks& tasks, int64_t at_ns) {
  size_t used = 0;
  while (used < reductions_.size()) {
    const Reduction& oldest = reductions_[used];
    if (oldest.first_user == Tasks::kNone) break;
    if (!tasks.has_begun(oldest.first_user) && !tasks.is_finished(oldest.first_user)) break;
    tasks.release(oldest.first_user, at_ns);
    tasks.release(oldest.parts, at_ns);
    tasks.release(oldest.result, at_ns);
    ++used;
  }
  reductions_.erase(reductions_.begin(), reductions_.begin() + static_cast<std::ptrdiff_t>(used));
}

void DataOrder::follow(Tasks& tasks, Tasks::Ref node) {
  current_ = {AccessKind::kWrite, false, node};
  tasks.hold(node);
}

void DataOrder::drop(Tasks& tasks, Group& group, int64_t at_ns) {
  if (group.node != Tasks::kNone) tasks.release(group.node, at_ns);
  group = Group{};
}

void DataOrder::clear(Tasks& tasks, int64_t at_ns) {
  drop(tasks, before_, at_ns);
  drop(tasks, current_, at_ns);
  for (const Reduction& reduction : reductions_) {
    if (reduction.first_user != Tasks::kNone) tasks.release(reduction.first_user, at_ns);
    tasks.release(reduction.parts, at_ns);
    tasks.release(reduction.result, at_ns);
  }
  reductions_.clear();
}

}  // namespace perseid
