// starpu_hooks/decode/old_data_order.cpp: groups of accesses.
#include "starpu_hooks/decode/old_data_order.h"

#include <utility>

namespace perseid::starpu::decoding {

void DataOrder::Group::add(const NodeRef& node) {
  if (members.size() < kMaxMembers) {
    members.push_back(node);
  } else {
    members[oldest] = node;
    oldest = (oldest + 1) % kMaxMembers;
  }
}

void DataOrder::access(AccessKind kind, const NodeRef& node, std::vector<NodeRef>& waits_for) {
  const bool joins = kind == current_.kind && kind != AccessKind::kWrite;
  if (!joins) {
    std::swap(before_, current_);
    current_.kind = kind;
    current_.members.clear();
    current_.oldest = 0;
  }
  waits_for.insert(waits_for.end(), before_.members.begin(), before_.members.end());
  current_.add(node);
}

std::span<const NodeRef> DataOrder::join_reduction(const NodeRef& node,
                                                   std::vector<NodeRef>& waits_for) {
  const bool is_current = current_.kind == AccessKind::kReduction;
  Group& reduction = is_current ? current_ : before_;
  if (reduction.kind != AccessKind::kReduction) return {};
  waits_for.insert(waits_for.end(), reduction.members.begin(), reduction.members.end());
  reduction.add(node);
  if (is_current) return {};
  return current_.members;
}

}  // namespace perseid::starpu::decoding
