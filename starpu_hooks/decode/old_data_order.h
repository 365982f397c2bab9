// starpu_hooks/decode/old_data_order.h: who waits for whom because of one piece of data.
//
// Tasks that are submitted in some order and share data run as if they ran in that order. Of
// consecutive accesses some may run at the same time; they form a group, and every member waits
// for all members of the group before:
//
//   W  |  R R R  |  W  |  commuting W, W  |  reduction, reduction  |  R
//
// Plain writes are groups of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "timeline/drawing/dependency.h"

namespace perseid::starpu::decoding {

enum class AccessKind : uint8_t { kRead, kWrite, kCommutingWrite, kReduction };

class DataOrder {
 public:
  /// A group remembers so many of its latest members.
  static constexpr size_t kMaxMembers = 256;

  /// Adds to `waits_for` what `node` has to wait for. Call once per task.
  void access(AccessKind kind, const NodeRef& node, std::vector<NodeRef>& waits_for);

  /// A task that joins the results of a reduction. Runtimes make it when somebody already waits
  /// for them: those members are returned, they wait for `node` too.
  std::span<const NodeRef> join_reduction(const NodeRef& node, std::vector<NodeRef>& waits_for);

 private:
  struct Group {
    AccessKind kind = AccessKind::kRead;
    std::vector<NodeRef> members;
    size_t oldest = 0;  // where the next one goes when it is full

    void add(const NodeRef& node);
  };

  Group before_;
  Group current_;
};

}  // namespace perseid::starpu::decoding
