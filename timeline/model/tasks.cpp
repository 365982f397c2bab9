// timeline/model/tasks.cpp: pools of nodes and links; ends that release others are followed in a
// loop, because a chain of a million tasks without work would overflow the stack.
#include "timeline/model/tasks.h"

#include <utility>

namespace perseid {
namespace {

/// Tasks that end with a task, directly or not. A search that finds more gives up.
constexpr size_t kMaxEnds = 4096;

}  // namespace

Tasks::Ref Tasks::take_node() {
  if (free_.empty()) {
    free_.push_back(static_cast<Ref>(nodes_.size()));
    nodes_.emplace_back();
  }
  const Ref taken = free_.back();
  free_.pop_back();
  const uint32_t generation = nodes_[taken].generation;
  nodes_[taken] = Node{};
  nodes_[taken].generation = generation;
  nodes_[taken].holders = 1;
  return taken;
}

uint32_t Tasks::take_link(Ref node, uint32_t next, bool is_end) {
  if (free_links_.empty()) {
    free_links_.push_back(static_cast<uint32_t>(links_.size()));
    links_.emplace_back();
  }
  const uint32_t taken = free_links_.back();
  free_links_.pop_back();
  links_[taken] = {node, nodes_[node].generation, next, is_end};
  return taken;
}

void Tasks::free_links(uint32_t& first) noexcept {
  for (uint32_t at = std::exchange(first, kNone); at != kNone; at = links_[at].next) {
    free_links_.push_back(at);
  }
}

Tasks::Ref Tasks::submit(TaskRow row, int64_t at_ns) {
  const Ref task = take_node();
  row.id = ++last_task_;
  nodes_[task].id = row.id;
  nodes_[task].has_work = (row.flags & kTaskWithoutWork) == 0;
  rows_->add(row);
  rows_->add(StepRow{at_ns, row.id, 0, row.submitted_by, 0, 0, StepKind::kSubmitted});
  return task;
}

void Tasks::settle(Ref task, int64_t at_ns, ThreadId thread, bool reports_ready) {
  Node& node = nodes_[task];
  if (!node.is_open) return;
  node.is_open = false;
  node.reports_ready = reports_ready;
  if (node.unfinished == 0 && !node.is_finished) unblock(task, at_ns, thread);
  drain(at_ns, thread);
}

Tasks::Ref Tasks::make_group() {
  const Ref group = take_node();
  nodes_[group].id = kGroupBit | ++last_group_;
  nodes_[group].has_work = false;
  return group;
}

void Tasks::seal(Ref group, int64_t at_ns) { settle(group, at_ns, 0, false); }

void Tasks::release(Ref released, int64_t at_ns) {
  Node& node = nodes_[released];
  if (--node.holders > 0) return;
  // Nobody can join a group that nobody holds.
  if (is_group(node.id) && node.is_open) seal(released, at_ns);
  if (nodes_[released].is_finished && nodes_[released].holders == 0) give_back(released, at_ns);
}

void Tasks::depend(Ref to, Ref from, EdgeCause cause, DataId data) {
  if (to == from) return;
  Node& target = nodes_[to];
  rows_->add(EdgeRow{nodes_[from].id, target.id, data, cause});
  ++target.predecessors;
  if (nodes_[from].is_finished) {
    target.released_by = nodes_[from].id;
    return;
  }
  ++target.unfinished;
  if (!target.reports_ready) target.is_ready = false;
  nodes_[from].first_link = take_link(to, nodes_[from].first_link, false);
}

bool Tasks::end_with(Ref task, Ref other) {
  std::vector<Ref> left = {other};
  for (size_t i = 0; i < left.size(); ++i) {
    if (left[i] == task || left.size() > kMaxEnds) return false;
    for (uint32_t at = nodes_[left[i]].first_end; at != kNone; at = links_[at].next) {
      if (links_[at].generation == nodes_[links_[at].node].generation) {
        left.push_back(links_[at].node);
      }
    }
  }
  rows_->add(EdgeRow{nodes_[other].id, nodes_[task].id, 0, EdgeCause::kEnd});
  if (nodes_[other].is_finished || nodes_[task].is_finished) return true;
  ++nodes_[task].pending_ends;
  nodes_[other].first_link = take_link(task, nodes_[other].first_link, true);
  nodes_[task].first_end = take_link(other, nodes_[task].first_end, true);
  return true;
}

void Tasks::step(Ref task, StepKind kind, int64_t at_ns, ThreadId thread, WorkerId worker,
                 uint32_t detail) {
  rows_->add(StepRow{at_ns, nodes_[task].id, 0, thread, worker, detail, kind});
}

void Tasks::ready(Ref task, int64_t at_ns, ThreadId thread) {
  Node& node = nodes_[task];
  node.ready_ns = at_ns;
  node.is_ready = true;
  rows_->add(StepRow{at_ns, node.id, node.released_by, thread, 0, 0, StepKind::kReady});
}

void Tasks::begin(Ref task, int64_t at_ns, ThreadId thread, WorkerId worker) {
  Node& node = nodes_[task];
  node.is_ready = false;
  ++node.executions;
  ++node.running;
  rows_->add(StepRow{at_ns, node.id, 0, thread, worker, node.executions, StepKind::kBegin});
}

void Tasks::end(Ref task, int64_t at_ns, ThreadId thread, WorkerId worker) {
  Node& node = nodes_[task];
  if (node.running > 0) --node.running;
  rows_->add(StepRow{at_ns, node.id, 0, thread, worker, 0, StepKind::kEnd});
}

void Tasks::finish(Ref task, int64_t at_ns, ThreadId thread) {
  Node& node = nodes_[task];
  if (node.is_finished || node.is_work_done) return;
  node.is_work_done = true;
  node.is_ready = false;
  if (node.pending_ends == 0) mark_finished(task, at_ns, thread);
  drain(at_ns, thread);
}

void Tasks::mark_finished(Ref finished, int64_t at_ns, ThreadId thread) {
  Node& node = nodes_[finished];
  node.is_finished = true;
  const NodeId after = is_group(node.id) ? node.released_by : 0;
  rows_->add(StepRow{at_ns, node.id, after, thread, 0, 0, StepKind::kFinished});
  finished_.push_back(finished);
}

/// The node's predecessors have finished, and no more will come.
void Tasks::unblock(Ref unblocked, int64_t at_ns, ThreadId thread) {
  Node& node = nodes_[unblocked];
  if (node.has_work) {
    // One that runs already was ready: records of its predecessors are missing.
    if (!node.reports_ready && node.executions == 0) ready(unblocked, at_ns, thread);
    return;
  }
  if (is_group(node.id)) return mark_finished(unblocked, at_ns, thread);
  if (node.is_work_done) return;
  node.is_work_done = true;
  node.ready_ns = at_ns;
  rows_->add(StepRow{at_ns, node.id, node.released_by, thread, 0, 0, StepKind::kReady});
  if (node.pending_ends == 0) mark_finished(unblocked, at_ns, thread);
}

void Tasks::drain(int64_t at_ns, ThreadId thread) {
  if (is_draining_) return;
  is_draining_ = true;
  while (!finished_.empty()) {
    const Ref finished = finished_.back();
    finished_.pop_back();
    const NodeId by = nodes_[finished].id;
    free_links(nodes_[finished].first_end);
    uint32_t at = std::exchange(nodes_[finished].first_link, kNone);
    while (at != kNone) {
      const Link link = links_[at];
      free_links_.push_back(at);
      at = link.next;
      Node& waiting = nodes_[link.node];
      if (waiting.generation != link.generation) continue;  // its runtime forgot it before
      if (link.is_end) {
        if (--waiting.pending_ends == 0 && waiting.is_work_done && !waiting.is_finished) {
          mark_finished(link.node, at_ns, thread);
        }
        continue;
      }
      waiting.released_by = by;
      if (--waiting.unfinished == 0 && !waiting.is_open && !waiting.is_finished) {
        unblock(link.node, at_ns, thread);
      }
    }
    if (nodes_[finished].holders == 0) give_back(finished, at_ns);
  }
  is_draining_ = false;
}

void Tasks::give_back(Ref retired, int64_t at_ns) {
  Node& node = nodes_[retired];
  if (node.id == 0) return;
  rows_->add(StepRow{at_ns, node.id, 0, 0, 0, 0, StepKind::kRetired});
  free_links(node.first_link);
  free_links(node.first_end);
  node.id = 0;
  ++node.generation;
  free_.push_back(retired);
}

}  // namespace perseid
