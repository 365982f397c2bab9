// timeline/analysis/chain_nodes.cpp: pools of nodes and segments. Chains are followed in loops:
// they may be as long as a run.
#include "timeline/analysis/chain_nodes.h"

#include <algorithm>
#include <string>

namespace perseid {

ChainNodes::Ref ChainNodes::make(Ref parent, int64_t at_ns) {
  if (free_.empty()) {
    free_.push_back(static_cast<Ref>(nodes_.size()));
    nodes_.emplace_back();
    if (has_labels_) labels_.emplace_back();
  }
  const Ref made = free_.back();
  free_.pop_back();
  ++live_;
  Node& node = nodes_[made];
  node = Node{};
  if (has_labels_) labels_[made] = Labels{};
  node.parent = parent;
  node.refs = 1;
  node.end_ns = node.work_begin_ns = at_ns;
  return made;
}

ChainNodes::Ref ChainNodes::make_child(Ref parent) {
  hold(parent);
  return make(parent, nodes_[parent].end_ns);
}

void ChainNodes::let_go(Ref released) {
  for (;;) {
    const Node& node = nodes_[released];
    free_segments(node);
    if (node.has_more_kinds) more_kinds_[released].clear();  // its memory is used again
    free_.push_back(released);
    --live_;
    released = node.parent;
    if (released == kNone || --nodes_[released].refs > 0) return;
  }
}

void ChainNodes::extend(Ref& slot, int64_t until_ns, const Activity& activity) {
  if (until_ns <= nodes_[slot].end_ns) return;
  if (nodes_[slot].refs > 1) {
    const Ref child = make_child(slot);
    release(slot);
    slot = child;
  }
  Node& node = nodes_[slot];
  const int64_t begin_ns = node.end_ns;
  const int64_t ns = until_ns - begin_ns;
  if (has_labels_) labels_[slot].sums[static_cast<size_t>(activity.label)] += ns;
  node.end_ns = until_ns;
  if (activity.label == ChainLabel::kWork) {
    add_kind(slot, activity.kind, ns, 0);
    const bool goes_on = node.work_begin_ns < begin_ns && node.work_task == activity.task;
    if (!goes_on) node.work_begin_ns = begin_ns;
    node.work_task = activity.task;
    node.work_kind = activity.kind;
  } else {
    node.work_begin_ns = until_ns;
  }
  if (newest_segments_ > 0) add_segment(node, begin_ns, until_ns, activity);
}

void ChainNodes::add_kind(Ref to, NameId kind, int64_t ns, uint32_t tasks) {
  KindSum& first = nodes_[to].first_kind;
  if (first.kind == kind || (first.ns == 0 && first.tasks == 0)) {
    first = {first.ns + ns, kind, first.tasks + tasks};
    return;
  }
  if (more_kinds_.size() <= to) more_kinds_.resize(nodes_.size());
  std::vector<KindSum>& more = more_kinds_[to];
  const auto at = std::ranges::lower_bound(more, kind, {}, &KindSum::kind);
  nodes_[to].has_more_kinds = true;
  if (at != more.end() && at->kind == kind) {
    at->ns += ns;
    at->tasks += tasks;
  } else {
    more.insert(at, {ns, kind, tasks});
  }
}

void ChainNodes::relabel(Ref child, int64_t begin_ns, ChainLabel label) {
  Node& node = nodes_[child];
  const Node& parent = nodes_[node.parent];
  begin_ns = std::max(begin_ns, parent.work_begin_ns);
  const int64_t ns = parent.end_ns - begin_ns;
  if (ns <= 0) return;
  node.relabel = label;
  Labels& labels = labels_[child];
  labels.relabel_ns = begin_ns;
  labels.sums[static_cast<size_t>(ChainLabel::kWork)] -= ns;
  labels.sums[static_cast<size_t>(label)] += ns;
  if (label != ChainLabel::kBusy) add_kind(child, parent.work_kind, -ns, 0);
}

void ChainNodes::taint(Ref tainted, ChainTaint reason, int64_t at_ns) noexcept {
  Node& node = nodes_[tainted];
  if (node.taint != ChainTaint::kNone && labels_[tainted].taint_ns > at_ns) return;
  node.taint = reason;
  labels_[tainted].taint_ns = at_ns;
}

uint32_t ChainNodes::take_segment(const Segment& segment) {
  if (free_segments_.empty()) {
    segments_.push_back(segment);
    return static_cast<uint32_t>(segments_.size() - 1);
  }
  const uint32_t taken = free_segments_.back();
  free_segments_.pop_back();
  segments_[taken] = segment;
  return taken;
}

void ChainNodes::add_segment(Node& node, int64_t begin_ns, int64_t end_ns,
                             const Activity& activity) {
  // The node's end is that of this segment already.
  if (begin_ns <= horizon_ns_) node.newest = node.oldest = kNone;
  if (node.newest != kNone) {
    Segment& newest = segments_[node.newest];
    if (newest.label == activity.label && newest.task == activity.task &&
        newest.name == activity.name && newest.worker == activity.worker) {
      newest.end_ns = end_ns;
      return;
    }
  }
  node.newest = take_segment({begin_ns, end_ns, activity.task, node.newest, activity.worker,
                              activity.name, activity.label});
  if (node.oldest == kNone) node.oldest = node.newest;
}

void ChainNodes::free_segment(uint32_t at) {
  segments_[at].end_ns = kFree;
  free_segments_.push_back(at);
}

void ChainNodes::free_segments(const Node& node) {
  if (!has_segments(node)) return;
  for (uint32_t at = node.newest; at != kNone;) {
    const Segment& segment = segments_[at];
    const uint32_t before = segment.begin_ns > horizon_ns_ ? segment.before : kNone;
    free_segment(at);
    at = before;
  }
}

/// The part before `begin_ns` becomes a segment of its own.
void ChainNodes::relabel_segment(uint32_t at, int64_t begin_ns, ChainLabel label) {
  if (segments_[at].begin_ns < begin_ns) {
    Segment earlier = segments_[at];
    earlier.end_ns = begin_ns;
    const uint32_t before = take_segment(earlier);
    segments_[at].before = before;
    segments_[at].begin_ns = begin_ns;
  }
  segments_[at].label = label;
}

/// `node` stands for both from now on. The reference to the parent's parent goes to it.
void ChainNodes::absorb(Ref absorbing, Ref absorbed) {
  Node& node = nodes_[absorbing];
  Node& parent = nodes_[absorbed];
  if (has_segments(parent)) {
    if (node.relabel != ChainLabel::kWork) {
      const bool is_one = parent.oldest == parent.newest;
      relabel_segment(parent.newest, labels_[absorbing].relabel_ns, node.relabel);
      const uint32_t before = segments_[parent.newest].before;
      if (is_one && before != kNone) parent.oldest = before;
    }
    // The node's own are there, as they are newer.
    (node.oldest != kNone ? segments_[node.oldest].before : node.newest) = parent.newest;
    node.oldest = parent.oldest;
  }
  node.relabel = parent.relabel;
  parent.newest = parent.oldest = kNone;

  if (has_labels_) {
    Labels& labels = labels_[absorbing];
    const Labels& more = labels_[absorbed];
    labels.relabel_ns = more.relabel_ns;
    if (node.taint == ChainTaint::kNone) labels.taint_ns = more.taint_ns;
    for (size_t i = 0; i < kChainLabels; ++i) labels.sums[i] += more.sums[i];
  }
  const KindSum first = parent.first_kind;
  if (first.ns != 0 || first.tasks != 0) add_kind(absorbing, first.kind, first.ns, first.tasks);
  if (parent.has_more_kinds) {
    if (more_kinds_.size() <= absorbing) more_kinds_.resize(nodes_.size());
    for (const KindSum& sum : more_kinds_[absorbed]) {
      add_kind(absorbing, sum.kind, sum.ns, sum.tasks);
    }
  }
  if (node.taint == ChainTaint::kNone) node.taint = parent.taint;
  node.parent = parent.parent;
}

void ChainNodes::compress() {
  for (Ref at = 0; at < nodes_.size(); ++at) {
    if (nodes_[at].refs == 0) continue;
    for (;;) {
      const Ref parent = nodes_[at].parent;
      if (parent == kNone || nodes_[parent].refs != 1) break;
      absorb(at, parent);
      nodes_[parent].parent = kNone;
      release(parent);
    }
  }
  live_after_compression_ = live_;
}

/// Of all chains together the newest remain: those of one that ends are among them. Lists need not
/// be cut where they pass the horizon.
void ChainNodes::forget_old_segments() {
  std::vector<int64_t> ends;
  ends.reserve(segments_in_use());
  for (const Segment& segment : segments_) {
    if (segment.end_ns != kFree) ends.push_back(segment.end_ns);
  }
  const auto first = ends.begin() + static_cast<std::ptrdiff_t>(2 * newest_segments_);
  std::ranges::nth_element(ends, first, std::ranges::greater{});
  horizon_ns_ = *first;
  for (uint32_t at = 0; at < segments_.size(); ++at) {
    if (segments_[at].end_ns != kFree && segments_[at].end_ns <= horizon_ns_) free_segment(at);
  }
}

void ChainNodes::collect(Ref node) {
  while (nodes_[node].parent != kNone) absorb(node, nodes_[node].parent);
}

std::vector<KindTime> ChainNodes::kinds(Ref node, const NameIds& names) const {
  std::vector<KindTime> found;
  const auto add = [&](const KindSum& sum) {
    if (sum.ns == 0 && sum.tasks == 0) return;
    found.push_back({std::string(names.text(sum.kind)), sum.ns, sum.tasks});
  };
  add(nodes_[node].first_kind);
  if (nodes_[node].has_more_kinds) {
    for (const KindSum& sum : more_kinds_[node]) add(sum);
  }
  std::ranges::sort(found, [](const KindTime& a, const KindTime& b) {
    return a.ns != b.ns ? a.ns > b.ns : a.kind < b.kind;
  });
  return found;
}

std::vector<ChainSegment> ChainNodes::latest(Ref node, const NameIds& names) const {
  std::vector<ChainSegment> found;
  uint32_t at = has_segments(nodes_[node]) ? nodes_[node].newest : kNone;
  while (at != kNone && found.size() < newest_segments_) {
    const Segment& segment = segments_[at];
    found.push_back({segment.begin_ns, segment.end_ns, segment.task, segment.worker,
                     std::string(names.text(segment.name)), segment.label});
    at = segment.begin_ns > horizon_ns_ ? segment.before : kNone;
  }
  std::ranges::reverse(found);
  return found;
}

}  // namespace perseid
