// timeline/model/tasks.h: the one owner of the lives of tasks, whichever runtime runs them.
//
// Decoders name a task by a reference into a pool and report what happens to it; Tasks writes the
// rows, knows who still has to wait for whom, and retires what nobody can wait for any more. Its
// memory grows with tasks that are open or that somebody may still depend on, never with the run.
//
// A node (task or group) is held by whoever may still add an edge from it: the decoder, until its
// runtime forgets the task; the order of a datum, while the task is among its latest accesses; a
// tag. A node that is finished and that nobody holds is retired.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/model/rows_builder.h"

namespace perseid {

class Tasks {
 public:
  using Ref = uint32_t;
  static constexpr Ref kNone = ~Ref{0};

  explicit Tasks(RowsBuilder& rows) : rows_(&rows) {}

  /// A task is submitted: gives it its id (row.id is filled in), which the caller holds. Edges to
  /// it may follow until settle().
  Ref submit(TaskRow row, int64_t at_ns);
  /// All dependencies of its submission are known. `reports_ready`: the runtime itself reports when
  /// the task is ready; otherwise it is when its predecessors have finished.
  void settle(Ref task, int64_t at_ns, ThreadId thread, bool reports_ready);
  /// A joint of edges, held by the caller, to which members may come until seal().
  Ref make_group();
  /// No more members come: the group is finished when those it has are.
  void seal(Ref group, int64_t at_ns);

  void hold(Ref node) noexcept { ++nodes_[node].holders; }
  /// May retire the node.
  void release(Ref node, int64_t at_ns);

  /// `to` waits for `from`. Nothing if they are the same node. A task that is settled and has not
  /// begun is not ready any more, and becomes so again: OpenMP reports dependences after creations.
  void depend(Ref to, Ref from, EdgeCause cause, DataId data = 0);
  /// `task` is finished only after `other`. False, and nothing is changed, if `other` waits for
  /// `task`'s end in the same way, over however many: they would never end.
  bool end_with(Ref task, Ref other);

  void step(Ref task, StepKind kind, int64_t at_ns, ThreadId thread, WorkerId worker = 0,
            uint32_t detail = 0);
  /// The task's runtime reports that it can run.
  void ready(Ref task, int64_t at_ns, ThreadId thread);
  void begin(Ref task, int64_t at_ns, ThreadId thread, WorkerId worker);
  void end(Ref task, int64_t at_ns, ThreadId thread, WorkerId worker);
  /// The task's work is done, or never will be. Finishes what waits only for it and has no work.
  void finish(Ref task, int64_t at_ns, ThreadId thread);

  NodeId id(Ref node) const noexcept { return nodes_[node].id; }
  bool is_finished(Ref node) const noexcept { return nodes_[node].is_finished; }
  bool has_begun(Ref node) const noexcept { return nodes_[node].executions > 0; }
  bool is_running(Ref node) const noexcept { return nodes_[node].running > 0; }
  bool is_ready(Ref node) const noexcept { return nodes_[node].is_ready; }
  bool is_blocked(Ref node) const noexcept { return nodes_[node].unfinished > 0; }
  uint32_t executions(Ref node) const noexcept { return nodes_[node].executions; }
  uint32_t predecessors(Ref node) const noexcept { return nodes_[node].predecessors; }
  int64_t ready_ns(Ref node) const noexcept { return nodes_[node].ready_ns; }
  /// Others than one holder may still add an edge from it.
  bool may_be_waited_for(Ref node) const noexcept { return nodes_[node].holders > 1; }
  uint32_t holders(Ref node) const noexcept { return nodes_[node].holders; }

  /// Of the pool: what a walk needs at the same time.
  size_t capacity() const noexcept { return nodes_.size(); }
  size_t size() const noexcept { return nodes_.size() - free_.size(); }
  uint64_t submitted() const noexcept { return last_task_; }
  RowsBuilder& rows() noexcept { return *rows_; }

 private:
  static constexpr int64_t kNever = -1;

  struct Node {
    NodeId id = 0;
    NodeId released_by = 0;  // the predecessor that finished last
    int64_t ready_ns = kNever;
    uint32_t first_link = kNone;
    uint32_t holders = 0;
    uint32_t unfinished = 0;    // predecessors
    uint32_t predecessors = 0;  // in all
    uint32_t pending_ends = 0;  // end dependencies that are not finished
    uint32_t executions = 0;
    uint32_t running = 0;
    uint32_t generation = 0;     // of this place in the pool
    uint32_t first_end = kNone;  // what it ends with
    bool is_open = true;         // edges to it may come without a new reason
    bool is_finished = false;
    bool is_work_done = false;
    bool has_work = true;
    bool reports_ready = false;
    bool is_ready = false;
  };
  struct Link {
    Ref node;
    uint32_t generation;
    uint32_t next;
    bool is_end;
  };

  Ref take_node();
  uint32_t take_link(Ref node, uint32_t next, bool is_end);
  void free_links(uint32_t& first) noexcept;
  void give_back(Ref node, int64_t at_ns);
  void unblock(Ref node, int64_t at_ns, ThreadId thread);
  void mark_finished(Ref node, int64_t at_ns, ThreadId thread);
  void drain(int64_t at_ns, ThreadId thread);

  RowsBuilder* rows_;
  std::vector<Node> nodes_;
  std::vector<Ref> free_;
  std::vector<Link> links_;
  std::vector<uint32_t> free_links_;
  std::vector<Ref> finished_;  // whose successors have to be looked at
  bool is_draining_ = false;
  TaskId last_task_ = 0;
  uint64_t last_group_ = 0;
};

}  // namespace perseid
