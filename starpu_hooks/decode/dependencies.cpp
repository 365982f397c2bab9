// starpu_hooks/decode/dependencies.cpp: from accesses, declarations and tags to edges.
#include "starpu_hooks/decode/dependencies.h"

#include <algorithm>
#include <utility>

#include "starpu_hooks/decode/categories.h"
#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

std::optional<AccessKind> kind_of(uint32_t mode) {
  if ((mode & (kScratch | kNotOrdered)) != 0) return std::nullopt;
  if ((mode & kReduction) != 0) return AccessKind::kReduction;
  if ((mode & kWrite) != 0) {
    return (mode & kCommute) != 0 ? AccessKind::kCommutingWrite : AccessKind::kWrite;
  }
  if ((mode & kRead) != 0) return AccessKind::kRead;
  return std::nullopt;
}

/// StarPU makes these tasks of its own when somebody waits for the result of a reduction, and
/// gives them no place in the order of the data.
bool joins_reduction(const TaskLife& life) { return life.name.starts_with("redux_task_"); }

}  // namespace

bool Dependencies::has_place(uint32_t mode) { return kind_of(mode).has_value(); }

/// Held by the caller.
Tasks::Ref Dependencies::node_of_task(uint64_t address) {
  const LifeRef life = tasks_->find(address);
  if (life != nullptr && life->ref != Tasks::kNone) {
    model_->tasks.hold(life->ref);
    return life->ref;
  }
  Declared& declared = declared_[address];
  if (declared.node == Tasks::kNone) declared.node = model_->tasks.make_group();
  model_->tasks.hold(declared.node);
  return declared.node;
}

/// What whoever waits for the tag waits for: its task, or a group as long as that is not known.
Tasks::Ref Dependencies::node_of_tag(uint64_t id) {
  Tag& tag = tags_[id];
  if (tag.owner != Tasks::kNone) return tag.owner;
  if (tag.node == Tasks::kNone) tag.node = model_->tasks.make_group();
  return tag.node;
}

/// From now on `owner` represents the tag.
void Dependencies::give(Tag& to, Tasks::Ref owner, int64_t at_ns) {
  Tasks& tasks = model_->tasks;
  if (to.owner != Tasks::kNone) tasks.release(to.owner, at_ns);
  to.owner = owner;
  tasks.hold(owner);
  if (to.node == Tasks::kNone) return;
  tasks.depend(to.node, owner, EdgeCause::kMember);
  tasks.seal(to.node, at_ns);
  tasks.release(std::exchange(to.node, Tasks::kNone), at_ns);
}

void Dependencies::begin(const TaskLife& life, int64_t at_ns) {
  Tasks& tasks = model_->tasks;
  const auto found = declared_.find(life.address);
  if (found != declared_.end()) {
    Declared declared = std::move(found->second);
    declared_.erase(found);
    for (const Tasks::Ref from : declared.waits_for) {
      tasks.depend(life.ref, from, EdgeCause::kDeclared);
    }
    for (const Tasks::Ref other : declared.ends_with) tasks.end_with(life.ref, other);
    release_all(declared.waits_for, at_ns);
    release_all(declared.ends_with, at_ns);
    if (declared.node != Tasks::kNone) {
      tasks.depend(declared.node, life.ref, EdgeCause::kMember);
      tasks.seal(declared.node, at_ns);
      tasks.release(declared.node, at_ns);
    }
  }
  if ((life.flags & kHasTag) == 0) return;
  Tag& own = tags_[life.tag];
  for (const Tasks::Ref from : own.waits_for) tasks.depend(life.ref, from, EdgeCause::kTag);
  release_all(own.waits_for, at_ns);
  // Where tasks share a tag, the first of them to end stands for it: most likely the oldest.
  const bool is_taken =
      own.owner != Tasks::kNone && !tasks.has_begun(own.owner) && !tasks.is_finished(own.owner);
  if (!is_taken) give(own, life.ref, at_ns);
}

void Dependencies::order(const TaskLife& life, int64_t at_ns) {
  if ((life.flags & kWithoutDependencies) != 0) return;
  const std::vector<Access>& accesses = life.accesses;
  for (size_t i = 0; i < accesses.size(); ++i) {
    uint32_t mode = accesses[i].mode;
    const auto same = [&](const Access& other) { return other.handle == accesses[i].handle; };
    const auto begin = accesses.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(begin, here, same)) continue;  // one task, one place in the order
    for (auto other = here + 1; other != accesses.end(); ++other) {
      if (same(*other)) mode |= other->mode;
    }
    if (!joins_reduction(life)) {
      order(life.ref, accesses[i].handle, mode, at_ns);
    } else if (kind_of(mode)) {
      data_->order(accesses[i].handle)
          .join_reduction(model_->tasks, life.ref, data_->id(accesses[i].handle), at_ns);
    }
  }
}

bool Dependencies::order(Tasks::Ref node, uint64_t handle, uint32_t mode, int64_t at_ns) {
  const std::optional<AccessKind> kind = kind_of(mode);
  if (!kind || handle == 0) return false;
  const DataId data = data_->id(handle);
  data_->order(handle).access(model_->tasks, *kind, node, data, at_ns);
  return true;
}

void Dependencies::declare_for_task(uint32_t when, const Payload& words, int64_t at_ns) {
  constexpr uint32_t kBeforeItEnds = 1;
  if (words[0] == 0) return;
  has_declared_ = true;
  Tasks& tasks = model_->tasks;
  const LifeRef life = tasks_->find(words[0]);
  const bool is_submitted = life != nullptr && !life->is_finished;
  const bool is_ahead = is_submitted && life->running == 0;
  for (const uint64_t address : words.from(1)) {
    if (address == 0 || address == words[0]) continue;
    const Tasks::Ref other = node_of_task(address);
    if (when == kBeforeItEnds && is_submitted) {
      tasks.end_with(life->ref, other);
      tasks.release(other, at_ns);
    } else if (when == kBeforeItEnds) {
      declared_[words[0]].ends_with.push_back(other);
    } else if (is_ahead) {
      tasks.depend(life->ref, other, EdgeCause::kDeclared);
      tasks.release(other, at_ns);
    } else {
      declared_[words[0]].waits_for.push_back(other);
    }
  }
}

void Dependencies::declare_for_tag(const Payload& words) {
  if (words.size() < 2) return;
  Tasks& tasks = model_->tasks;
  for (const uint64_t other : words.from(1)) {
    const Tasks::Ref from = node_of_tag(other);
    Tag& own = tags_[words[0]];
    const bool is_ahead =
        own.owner != Tasks::kNone && !tasks.has_begun(own.owner) && !tasks.is_finished(own.owner);
    if (is_ahead) {
      tasks.depend(own.owner, from, EdgeCause::kTag);
    } else {
      tasks.hold(from);
      own.waits_for.push_back(from);
    }
  }
}

void Dependencies::change_tag(Thread& thread, int64_t at_ns, uint32_t change, uint64_t id) {
  const auto kind = static_cast<TagChange>(change);
  const Argument argument{"tag", id};
  std::vector<FlowEnd> flows;
  const std::string_view name = kind == TagChange::kNotified    ? "tag notified"
                                : kind == TagChange::kRestarted ? "tag restarted"
                                                                : "tag removed";
  if (kind == TagChange::kNotified) {
    Tasks& tasks = model_->tasks;
    TaskRow row;
    row.runtime = Runtime::kStarpu;
    row.name = row.kind = model_->names.of(name);
    row.submitted_by = thread.id;
    row.tag = id;
    row.flags = kTaskWithoutWork | kTaskHasTag;
    const Tasks::Ref node = tasks.submit(row, at_ns);
    give(tags_[id], node, at_ns);
    tasks.settle(node, at_ns, thread.id, false);
    model_->arrows.open(tasks.id(node), at_ns);
    model_->arrows.draw_outgoing(tasks.id(node), true, flows);
    tasks.release(node, at_ns);
  } else if (const auto known = tags_.find(id); known != tags_.end()) {
    release(known->second, at_ns);
    tags_.erase(known);
  }
  thread.lane.add_instant(at_ns, name, kStarpuCategory, {&argument, 1}, flows);
}

void Dependencies::release(Tag& released, int64_t at_ns) {
  if (released.owner != Tasks::kNone) model_->tasks.release(released.owner, at_ns);
  if (released.node != Tasks::kNone) model_->tasks.release(released.node, at_ns);
  release_all(released.waits_for, at_ns);
}

void Dependencies::release_all(std::vector<Tasks::Ref>& nodes, int64_t at_ns) {
  for (const Tasks::Ref node : nodes) model_->tasks.release(node, at_ns);
  nodes.clear();
}

void Dependencies::clear(int64_t at_ns) {
  for (auto& [address, declared] : declared_) {
    if (declared.node != Tasks::kNone) model_->tasks.release(declared.node, at_ns);
    release_all(declared.waits_for, at_ns);
    release_all(declared.ends_with, at_ns);
  }
  declared_.clear();
  for (auto& [id, known] : tags_) release(known, at_ns);
  tags_.clear();
}

}  // namespace perseid::starpu::decoding
