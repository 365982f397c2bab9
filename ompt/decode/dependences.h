// ompt/decode/dependences.h: which task had to wait for which, from addresses alone.
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

#include "timeline/drawing/release_chain.h"

namespace perseid::ompt {

/// A task as those that depend on it see it; outlives the task.
struct DependenceNode {
  DependenceNode() = default;
  DependenceNode(const DependenceNode&) = delete;
  DependenceNode& operator=(const DependenceNode&) = delete;
  ~DependenceNode() { release_chain(predecessors, &DependenceNode::predecessors); }

  std::vector<std::shared_ptr<DependenceNode>> predecessors;  // until the task starts
  std::vector<uint64_t> successors;                           // ids of tasks, until it is over
  uint64_t forgotten_predecessors = 0;  // that were over, and are not among `predecessors`
  uint32_t unfinished_predecessors = 0;
  bool is_over = false;
  uint64_t ended = 0;  // 1, 2, ... in the order of ends; 0: it is not over
  uint64_t flow = 0;   // of the arrow out of its last slice; 0: it has none
  int64_t source_begin_ns = 0;
  uint64_t listed_in = 0;  // the last dependences record that named it, for finding it once
};
using NodePtr = std::shared_ptr<DependenceNode>;

/// Two sets of n tasks that follow each other have n^2 dependences, and nothing in the input pays
/// for them. Up to this many for each access that was seen all are kept; a run that has more keeps
/// those on the latest members of a generation.
class DependenceBudget {
 public:
  uint64_t next_record() noexcept { return ++records_; }
  /// How many members of a generation of `size` an access may depend on.
  size_t take(size_t size) noexcept {
    left_ += kPerAccess;
    const size_t taken = size <= left_ ? size : size < kAlways ? size : kAlways;
    left_ -= taken < left_ ? taken : left_;
    return taken;
  }

 private:
  static constexpr size_t kAlways = 512;
  static constexpr size_t kPerAccess = 64;
  size_t left_ = 1 << 20;
  uint64_t records_ = 0;
};

/// The dependences among the children of one task.
class DependenceScope {
 public:
  /// `words` are those of a dependences record behind the task. Fills node->predecessors.
  void add(const NodePtr& node, std::span<const uint64_t> words, DependenceBudget& budget);

 private:
  struct Generation {
    std::vector<NodePtr> members;
    uint64_t forgotten = 0;  // members that were over
    size_t most = 512;       // members; then it forgets

    void join(const NodePtr& node);
    void forget();
  };
  struct Address {
    uint32_t set_kind = 0;  // DependenceType of a set; 0: one task alone
    Generation current;
    Generation previous;
  };

  void access(const NodePtr& node, uint64_t address, uint32_t type, DependenceBudget& budget);
  void access_all(const NodePtr& node, DependenceBudget& budget);
  void depend(const NodePtr& node, std::span<const NodePtr> on, DependenceBudget& budget);
  void depend(const NodePtr& node, const Generation& on, DependenceBudget& budget);

  std::unordered_map<uint64_t, Address> addresses_;
  NodePtr latest_all_;   // the last task that depended on all of memory
  uint64_t record_ = 0;  // that is read now
};

}  // namespace perseid::ompt
