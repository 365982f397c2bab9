// ompt/decode_dependences.h: which task had to wait for which, from addresses alone.
//
// The runtime tells only those predecessors that are not over when a task is created. The order of
// accesses tells all of them. Each address has a current and a previous generation of tasks:
//
//   same kind of set (in, mutexinoutset, inoutset)   joins the current one, depends on the previous
//   everything else                                  depends on the current one, starts a new one
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace perseid::ompt {

/// A task as those that depend on it see it; outlives the task.
struct DependenceNode {
  std::vector<std::shared_ptr<DependenceNode>> predecessors;  // until the task starts
  std::vector<uint64_t> successors;                           // ids of tasks, until it is over
  uint32_t unfinished_predecessors = 0;
  bool is_over = false;
  uint64_t flow = 0;  // of the arrow out of its last slice; 0: it has none
  int64_t source_begin_ns = 0;
};
using NodePtr = std::shared_ptr<DependenceNode>;

/// The dependences among the children of one task.
class DependenceScope {
 public:
  /// `words` are those of a dependences record behind the task. Fills node->predecessors.
  void add(const NodePtr& node, std::span<const uint64_t> words);

 private:
  /// Longer ones lose their oldest members: arrows to them tell nothing more.
  static constexpr size_t kLongestGeneration = 512;

  struct Address {
    uint32_t set_kind = 0;  // DependenceType of a set; 0: one task alone
    std::vector<NodePtr> current;
    std::vector<NodePtr> previous;
  };

  void access(const NodePtr& node, uint64_t address, uint32_t type);
  void access_all(const NodePtr& node);
  static void depend(const NodePtr& node, const std::vector<NodePtr>& on);

  std::unordered_map<uint64_t, Address> addresses_;
  NodePtr latest_all_;  // the last task that depended on all of memory
};

}  // namespace perseid::ompt
