// timeline/model/data_order.h: who waits for whom because of one piece of data.
//
// Tasks that are submitted in some order and share data run as if they ran in that order. Of
// consecutive accesses some may run at the same time; they form a group, and every member waits
// for all members of the group before:
//
//   W  |  R R R  |  W  |  commuting W, W  |  reduction, reduction  |  R
//
// Plain writes are groups of one, and a group of one is the task itself. So the order of a datum
// holds two nodes, however many tasks access it.
#pragma once

#include <cstdint>
#include <vector>

#include "timeline/model/tasks.h"

namespace perseid {

enum class AccessKind : uint8_t { kRead, kWrite, kCommutingWrite, kReduction, kExclusiveSet };

class DataOrder {
 public:
  /// Adds the edges to `task`. Call once per task.
  void access(Tasks& tasks, AccessKind kind, Tasks::Ref task, DataId data, int64_t at_ns);

  /// A task that joins the results of a reduction. Runtimes make it when the parts are done, while
  /// later accesses are submitted already: it belongs between the oldest reduction whose result
  /// nobody has used yet and those who wait for it.
  void join_reduction(Tasks& tasks, Tasks::Ref task, DataId data, int64_t at_ns);

  /// What all accesses from now on wait for.
  void follow(Tasks& tasks, Tasks::Ref node);
  /// The latest group, or kNone: what another access of any kind would wait for.
  Tasks::Ref latest() const noexcept { return current_.node; }
  /// Lets go of all nodes.
  void clear(Tasks& tasks, int64_t at_ns);

 private:
  struct Group {
    AccessKind kind = AccessKind::kRead;
    bool is_joint = false;  // the node is a group, not a task
    Tasks::Ref node = Tasks::kNone;
  };
  /// A reduction that is over as far as its order is concerned. Its result is there when the tasks
  /// that join it are done: those who wait for it wait for `result`.
  struct Reduction {
    Tasks::Ref parts;
    Tasks::Ref result;
    Tasks::Ref first_user = Tasks::kNone;
  };

  void join(Tasks& tasks, Tasks::Ref task, DataId data, int64_t at_ns);
  void close(Tasks& tasks, DataId data, int64_t at_ns);
  void drop(Tasks& tasks, Group& group, int64_t at_ns);
  void forget_used(Tasks& tasks, int64_t at_ns);

  Group before_;
  Group current_;
  std::vector<Reduction> reductions_;  // oldest first; as many as are submitted ahead
};

}  // namespace perseid
