// timeline/drawing/dependency_arrows.cpp: from edges to ends of arrows.
#include "timeline/drawing/dependency_arrows.h"

#include <algorithm>
#include <utility>

namespace perseid {

DependencyArrows::Node& DependencyArrows::get(NodeId node) {
  if (Node* const known = find(node)) return *known;
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(nodes_.size()));
    nodes_.emplace_back();
  }
  const uint32_t taken = free_.back();
  free_.pop_back();
  places(node)[number_of(node)] = taken;
  return nodes_[taken];
}

void DependencyArrows::use(std::vector<NodeId>& list, NodeId node) {
  list.push_back(node);
  if (Node* const used = find(node)) ++used->uses;
}

void DependencyArrows::set_last(Node& of, NodeId last) {
  if (of.last == last) return;
  const NodeId before = std::exchange(of.last, last);
  if (Node* const used = find(last)) ++used->uses;
  if (before != 0) drop(before);
}

/// Nodes that only lists of forgotten ones hold go in a loop: chains of them are as long as a run.
void DependencyArrows::drop(NodeId node) {
  dropped_.push_back(node);
  if (dropped_.size() > 1) return;
  while (!dropped_.empty()) {
    const NodeId last = dropped_.back();
    Node* const used = find(last);
    if (used == nullptr || --used->uses > 0 || !used->is_retired) {
      dropped_.pop_back();
      continue;
    }
    const uint32_t place = *places(last).find(number_of(last));
    places(last).erase(number_of(last));
    dropped_.pop_back();
    Node& forgotten = nodes_[place];
    dropped_.insert(dropped_.end(), forgotten.from.begin(), forgotten.from.end());
    dropped_.insert(dropped_.end(), forgotten.ends.begin(), forgotten.ends.end());
    if (forgotten.last != 0) dropped_.push_back(forgotten.last);
    // The memory of its lists is used again.
    Node renewed;
    renewed.from = std::move(forgotten.from);
    renewed.ends = std::move(forgotten.ends);
    renewed.from.clear();
    renewed.ends.clear();
    forgotten = std::move(renewed);
    free_.push_back(place);
  }
}

void DependencyArrows::retire(NodeId node) {
  Node* const retired = find(node);
  if (retired == nullptr) return;
  retired->is_retired = true;
  ++retired->uses;
  drop(node);
}

void DependencyArrows::catch_up(const ModelBatch& batch) {
  if (is_off()) {
    edges_read_ = batch.edges.size();
    steps_read_ = batch.steps.size();
    return;
  }
  for (; edges_read_ < batch.edges.size(); ++edges_read_) {
    const EdgeRow& edge = batch.edges[edges_read_];
    get(edge.from);
    Node& to = get(edge.to);
    if (edge.cause == EdgeCause::kEnd) {
      if (to.ends.size() < kMaxIntoOne) use(to.ends, edge.from);
    } else if (to.from.size() < kMaxIntoOne) {
      use(to.from, edge.from);
    } else {
      ++to.more;
    }
  }
  for (; steps_read_ < batch.steps.size(); ++steps_read_) {
    const StepRow& step = batch.steps[steps_read_];
    if (step.kind == StepKind::kRetired) {
      retire(step.task);
    } else if (step.after != 0) {
      if (Node* const node = find(step.task)) set_last(*node, step.after);
    }
  }
}

void DependencyArrows::open(TaskId task, int64_t begin_ns) {
  if (is_off() || task == 0) return;
  catch_up(rows_->current());
  Node& node = get(task);
  node.state = State::kOpen;
  node.has_arrow = false;
  node.out = flows_->start(begin_ns, begin_ns, FlowKind::kDependency);
}

/// Fills `sources_` with the tasks that `target` waits for, each once.
void DependencyArrows::collect(NodeId target, Node& node) {
  const uint64_t mark = ++last_mark_;
  sources_.clear();
  left_.clear();
  left_out_of_search_ = node.more;
  const auto take = [&](NodeId from) {
    if (from == 0 || from == target) return;
    Node* const source = find(from);
    if (source == nullptr || std::exchange(source->mark, mark) == mark) return;
    if (is_group(from)) {
      left_.push_back(from);
    } else {
      sources_.push_back(from);
    }
  };
  const auto take_all = [&](const Node& of) {
    take(of.last);  // first, so that no limit leaves it out
    // One that is not in the list is among those that are only counted.
    if (of.more > 0 && of.last != 0 &&
        std::find(of.from.begin(), of.from.end(), of.last) == of.from.end()) {
      --left_out_of_search_;
    }
    for (const NodeId from : of.from) take(from);
  };
  take_all(node);
  size_t looked_at = 0;  // of `sources_`
  while (!left_.empty() || looked_at < sources_.size()) {
    if (left_.empty()) {
      for (const NodeId from : find(sources_[looked_at++])->ends) take(from);
      continue;
    }
    const Node& members = *find(left_.back());
    left_.pop_back();
    left_out_of_search_ += members.more;
    take_all(members);
  }
}

void DependencyArrows::draw_incoming(TaskId task, int64_t at_ns, std::vector<FlowEnd>& flows) {
  if (is_off() || task == 0) return;
  catch_up(rows_->current());
  Node* const target = find(task);
  if (target == nullptr || target->from.empty()) return;
  collect(task, *target);
  left_out_ += left_out_of_search_;
  size_t into = 0;
  for (const NodeId from : sources_) {
    Node& source = *find(from);
    const bool is_shown = source.state == State::kOpen || source.state == State::kDrawn;
    // Readers take no arrow that points back in time, as from a task that runs again by now.
    if (!is_shown || source.out.source_begin_ns > at_ns || is_used_up() || into >= kMaxIntoOne) {
      ++left_out_;
      continue;
    }
    ++into;
    ++drawn_;
    source.has_arrow = true;
    flows.push_back(arrival_of(source.out, at_ns));
  }
  drop_lists(*find(task));
}

void DependencyArrows::drop_lists(Node& node) {
  node.more = 0;
  if (const NodeId last = std::exchange(node.last, 0); last != 0) drop(last);
  for (const NodeId source : node.from) drop(source);
  node.from.clear();
}

void DependencyArrows::draw_outgoing(TaskId task, bool may_get_more, std::vector<FlowEnd>& flows) {
  if (is_off() || task == 0) return;
  catch_up(rows_->current());
  Node* const node = find(task);
  if (node == nullptr || node->state != State::kOpen) return;
  const bool goes = node->has_arrow || ((may_get_more || node->uses > 0) && !is_used_up());
  node->state = goes ? State::kDrawn : State::kHidden;
  if (goes) flows.push_back(node->out);
}

int64_t DependencyArrows::latest_source_ns(TaskId task) {
  if (is_off()) return INT64_MIN;
  catch_up(rows_->current());
  Node* const target = find(task);
  if (target == nullptr || target->from.empty()) return INT64_MIN;
  collect(task, *target);
  int64_t latest_ns = INT64_MIN;
  for (const NodeId from : sources_) {
    const Node& source = *find(from);
    if (source.state == State::kOpen || source.state == State::kDrawn) {
      latest_ns = std::max(latest_ns, source.out.source_begin_ns);
    }
  }
  return latest_ns;
}

}  // namespace perseid
