// starpu_hooks/decode/dependencies.cpp: see decode_dependencies.h.
#include "starpu_hooks/decode/dependencies.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

/// One task's arrows: beyond this nobody can follow them with the eye.
constexpr size_t kMaxWaits = 1024;
/// Tasks that end with a task, directly or not. A search that finds more gives up.
constexpr size_t kMaxReach = 4096;

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

NodeRef Dependencies::node_of_task(uint64_t address) {
  const LifeRef life = tasks_->find(address);
  if (life != nullptr && life->node != nullptr) return life->node;
  NodeRef& declared = declared_[address];
  if (declared == nullptr) {
    declared = std::make_shared<DependencyNode>();
    declared->task = address;
  }
  return declared;
}

bool Dependencies::ends_with(const NodeRef& node, const DependencyNode* sought) {
  const uint64_t mark = ++last_mark_;
  size_t reached = 0;
  std::vector<const NodeRef*> left = {&node};
  while (!left.empty()) {
    const NodeRef& one = *left.back();
    left.pop_back();
    if (one.get() == sought) return true;
    if (std::exchange(one->mark, mark) == mark) continue;
    if (++reached > kMaxReach) return true;  // as good as a cycle: the dependency is not taken
    for (const NodeRef& next : one->ends_with) left.push_back(&next);
  }
  return false;
}

Dependencies::Tag& Dependencies::tag(uint64_t id) {
  Tag& found = tags_[id];
  if (found.node == nullptr) found.node = std::make_shared<DependencyNode>();
  return found;
}

void Dependencies::begin(TaskLife& life) {
  if (model_->dependencies.is_off()) return;
  const auto declared = declared_.find(life.address);
  if (declared != declared_.end()) {
    life.node = std::move(declared->second);
    declared_.erase(declared);
  }
  const auto waits = declared_waits_.find(life.address);
  if (waits != declared_waits_.end()) {
    life.waits_for = std::move(waits->second);
    declared_waits_.erase(waits);
  }
  if ((life.flags & kHasTag) != 0) {
    Tag& own = tag(life.tag);
    const bool is_free = own.node->task == 0 && own.node->state == DependencyNode::State::kComing;
    if (life.node == nullptr && is_free) life.node = own.node;
    life.waits_for.insert(life.waits_for.end(), own.waits_for.begin(), own.waits_for.end());
    own.waits_for.clear();
  }
  if (life.node == nullptr) life.node = std::make_shared<DependencyNode>();
  life.node->task = life.address;
  if ((life.flags & kHasTag) == 0) return;
  // Where tasks share a tag, the first of them to end stands for it: most likely the oldest.
  Tag& own = tag(life.tag);
  const bool is_taken = own.node->task != 0 && own.node->state == DependencyNode::State::kComing;
  if (!is_taken) own.node = life.node;
}

void Dependencies::order(TaskLife& life) {
  if (life.is_ordered || life.node == nullptr) return;
  life.is_ordered = true;
  if ((life.flags & kWithoutDependencies) != 0) return;
  std::vector<Access>& accesses = life.accesses;
  for (size_t i = 0; i < accesses.size(); ++i) {
    uint32_t mode = accesses[i].mode;
    const auto same = [&](const Access& other) { return other.handle == accesses[i].handle; };
    const auto begin = accesses.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(begin, here, same)) continue;  // one task, one place in the order
    for (auto other = here + 1; other != accesses.end(); ++other) {
      if (same(*other)) mode |= other->mode;
    }
    const std::optional<AccessKind> kind = kind_of(mode);
    if (!kind) continue;
    DataOrder& order = data_->order(accesses[i].handle);
    if (!joins_reduction(life)) {
      order.access(*kind, life.node, life.waits_for);
      continue;
    }
    for (const NodeRef& waiting : order.join_reduction(life.node, life.waits_for)) {
      const LifeRef reader = tasks_->find(waiting->task);
      if (reader != nullptr && reader->node == waiting && !reader->is_finished) {
        reader->waits_for.push_back(life.node);
      }
    }
  }
}

void Dependencies::order_acquisition(Call& call, uint64_t handle, uint32_t mode) {
  if (model_->dependencies.is_off()) return;
  const std::optional<AccessKind> kind = kind_of(mode);
  if (!kind) return;
  call.node = std::make_shared<DependencyNode>();
  data_->order(handle).access(*kind, call.node, call.waits_for);
}

void Dependencies::declare_for_task(uint32_t when, const Payload& words) {
  constexpr uint32_t kBeforeItEnds = 1;
  if (model_->dependencies.is_off() || words[0] == 0) return;
  const LifeRef life = tasks_->find(words[0]);
  const bool is_ahead = life != nullptr && !life->is_finished && life->running == 0;
  std::vector<NodeRef> named;
  for (const uint64_t task : words.from(1)) named.push_back(node_of_task(task));
  if (when == kBeforeItEnds) {
    const NodeRef own = node_of_task(words[0]);
    // Tasks that end with each other would never end, and their nodes never go.
    std::erase_if(named, [&](const NodeRef& node) { return ends_with(node, own.get()); });
    own->ends_with.insert(own->ends_with.end(), named.begin(), named.end());
    return;
  }
  std::vector<NodeRef>& waits = is_ahead ? life->waits_for : declared_waits_[words[0]];
  waits.insert(waits.end(), named.begin(), named.end());
}

void Dependencies::declare_for_tag(const Payload& words) {
  if (model_->dependencies.is_off() || words.size() < 2) return;
  Tag& own = tag(words[0]);
  std::vector<NodeRef> waits;
  for (const uint64_t other : words.from(1)) waits.push_back(tag(other).node);
  const LifeRef life = tasks_->find(own.node->task);
  const bool is_ahead = life != nullptr && life->node == own.node && life->executions == 0;
  std::vector<NodeRef>& target = is_ahead ? life->waits_for : tag(words[0]).waits_for;
  target.insert(target.end(), waits.begin(), waits.end());
}

void Dependencies::change_tag(Thread& thread, int64_t at_ns, uint32_t change, uint64_t id) {
  const auto kind = static_cast<TagChange>(change);
  const Argument argument{"tag", id};
  std::vector<FlowEnd> flows;
  if (kind == TagChange::kNotified && !model_->dependencies.is_off()) {
    Tag& own = tag(id);
    if (own.node->state != DependencyNode::State::kComing) {
      own.node = std::make_shared<DependencyNode>();
    }
    const NodeRef node = own.node;
    open(*node, at_ns);
    draw_outgoing(node, flows);
  } else if (kind == TagChange::kRestarted || kind == TagChange::kRemoved) {
    tags_.erase(id);
  }
  const std::string_view name = kind == TagChange::kNotified    ? "tag notified"
                                : kind == TagChange::kRestarted ? "tag restarted"
                                                                : "tag removed";
  thread.lane.add_instant(at_ns, name, "starpu", {&argument, 1}, flows);
}

void Dependencies::open(DependencyNode& node, int64_t begin_ns) {
  if (node.state == DependencyNode::State::kOpen) return;
  node.state = DependencyNode::State::kOpen;
  node.has_arrow = false;
  node.out = model_->flows.start(begin_ns, begin_ns, FlowKind::kDependency);
}

void Dependencies::draw_incoming(std::vector<NodeRef>& waits_for, const DependencyNode* target,
                                 int64_t at_ns, std::vector<FlowEnd>& flows) {
  for (size_t i = 0, direct = waits_for.size(); i < direct; ++i) {
    const std::vector<NodeRef> more = waits_for[i]->ends_with;
    waits_for.insert(waits_for.end(), more.begin(), more.end());
  }
  keep_once(waits_for, ++last_mark_);
  std::erase_if(waits_for, [target](const NodeRef& node) { return node.get() == target; });
  if (waits_for.size() > kMaxWaits) waits_for.resize(kMaxWaits);
  for (const NodeRef& from : waits_for) {
    const FlowEnd end = model_->dependencies.draw(*from, at_ns);
    if (end.id != 0) flows.push_back(end);
  }
  waits_for.clear();
}

void Dependencies::draw_outgoing(const NodeRef& node, std::vector<FlowEnd>& flows) {
  if (node == nullptr || node->state != DependencyNode::State::kOpen) return;
  const bool may_get_more = node.use_count() > 1;  // besides its task's own reference
  if (model_->dependencies.close(*node, may_get_more)) flows.push_back(node->out);
}

void Dependencies::clear() {
  declared_.clear();
  declared_waits_.clear();
  tags_.clear();
}

}  // namespace perseid::starpu::decoding
