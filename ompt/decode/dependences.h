// ompt/decode/dependences.h: which task has to wait for which, from addresses alone.
//
// The runtime reports only those predecessors that are not finished when a task is created. The
// order of accesses gives all of them: each address has an order (model/data_order.h), in which
// consecutive accesses of the same set (in, mutexinoutset, inoutset) form a group.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "timeline/model/data_order.h"
#include "timeline/model/id_table.h"
#include "timeline/model/tasks.h"

namespace perseid::ompt {

/// The dependences among the children of one task.
class DependenceScope {
 public:
  /// `words` are those of a dependences record, after the task's id. Adds the edges to `task`, and
  /// returns how many tasks it depends on because of them.
  uint64_t add(Tasks& tasks, Tasks::Ref task, std::span<const uint64_t> words, int64_t at_ns);
  /// Lets go of all tasks: no more of them come.
  void clear(Tasks& tasks, int64_t at_ns);

 private:
  /// Tasks of a group, for counting each predecessor once although several addresses lead to it.
  /// Of large groups only the first members are known by name: memory must not grow with readers.
  struct Members {
    static constexpr size_t kMaxNamed = 64;
    std::vector<NodeId> named;
    uint64_t more = 0;

    void add(NodeId task) {
      if (named.size() < kMaxNamed) {
        named.push_back(task);
      } else {
        ++more;
      }
    }
    void clear() {
      named.clear();
      more = 0;
    }
  };
  struct Address {
    DataOrder order;
    DataId data = 0;
    AccessKind kind = AccessKind::kRead;
    uint64_t epoch = 0;  // of its order
    Members current;
    Members before;
  };

  Address& find_or_add(Tasks& tasks, uint64_t address);
  void access(Tasks& tasks, Tasks::Ref task, uint64_t address, uint32_t type, int64_t at_ns);
  void access_all(Tasks& tasks, Tasks::Ref task, int64_t at_ns);
  void count(const Members& members);

  IdTable<uint32_t> places_;  // of addresses
  std::vector<Address> addresses_;
  std::vector<uint32_t> used_;  // addresses since the last access to all of memory
  Tasks::Ref latest_all_ = Tasks::kNone;
  uint64_t epoch_ = 1;  // a new one begins with each access to all of memory
  // Of one record:
  std::vector<std::pair<uint64_t, uint32_t>> accesses_;
  std::vector<NodeId> predecessors_;
  uint64_t more_predecessors_ = 0;
};

}  // namespace perseid::ompt
