// timeline/drawing/dependency_arrows.h: draws the edges of the model as arrows between slices.
//
// Follows the rows: an edge to a task is remembered until the task's slice is closed, an edge to a
// group as long as the group. Groups are not drawn: arrows go from their members to those that wait
// for them. What the limits leave out is counted; the rows have all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/drawing/flows.h"
#include "timeline/drawing/slice.h"
#include "timeline/model/dense_table.h"
#include "timeline/model/rows_builder.h"

namespace perseid {

class DependencyArrows final : public RowFollower {
 public:
  /// A large program has more arrows than any reader can hold.
  static constexpr uint64_t kDefaultLimit = 100'000;
  /// Arrows into one slice: beyond this nobody can follow them with the eye. The one from the task
  /// that ended last is always among them: it explains the wait.
  static constexpr size_t kMaxIntoOne = 256;

  DependencyArrows(RowsBuilder& rows, Flows& flows, uint64_t limit)
      : rows_(&rows), flows_(&flows), limit_(limit) {
    rows.add_follower(this);
  }

  void catch_up(const ModelBatch& batch) override;
  void begin_batch() override { edges_read_ = steps_read_ = 0; }

  /// The slice of a task begins: arrows may start there. Again, if another slice stands for it.
  void open(TaskId task, int64_t begin_ns);
  /// The arrows into the slice or instant of `task`, which begins at `at_ns`.
  void draw_incoming(TaskId task, int64_t at_ns, std::vector<FlowEnd>& flows);
  /// The end of the arrows out of the slice that is about to go to the sink. `may_get_more`: tasks
  /// to come may wait for it.
  void draw_outgoing(TaskId task, bool may_get_more, std::vector<FlowEnd>& flows);
  /// The latest begin of all that `task` waits for; before any time if there is none.
  int64_t latest_source_ns(TaskId task);

  /// Somebody waits for it.
  bool is_source(TaskId task) noexcept {
    catch_up(rows_->current());
    const Node* const node = find(task);
    return node != nullptr && node->uses > 0;
  }

  uint64_t drawn() const noexcept { return drawn_; }
  uint64_t left_out() const noexcept { return left_out_; }
  bool is_off() const noexcept { return limit_ == 0; }

 private:
  enum class State : uint8_t {
    kComing,  // has not begun
    kOpen,    // has begun; `out` is its arrow's end
    kDrawn,   // its slice is with the sink, and so is `out`
    kHidden,  // its slice is with the sink, without `out`
  };
  struct Node {
    FlowEnd out{};
    State state = State::kComing;
    bool has_arrow = false;
    bool is_retired = false;
    uint32_t uses = 0;         // lists of others that it is in
    uint64_t mark = 0;         // the last search that found it
    uint64_t more = 0;         // that are not in `from`
    NodeId last = 0;           // of those it waits for, the one that finished last; 0: not known
    std::vector<NodeId> from;  // what it waits for; of a group its members
    std::vector<NodeId> ends;  // what finishes with it: who waits for it waits for them
  };

  /// Tasks and groups have numbers of their own.
  DenseTable<uint32_t>& places(NodeId node) noexcept { return is_group(node) ? groups_ : tasks_; }
  static uint64_t number_of(NodeId node) noexcept { return node & ~kGroupBit; }
  Node* find(NodeId node) noexcept {
    const uint32_t* const at = places(node).find(number_of(node));
    return at != nullptr ? &nodes_[*at] : nullptr;
  }
  Node& get(NodeId node);
  void use(std::vector<NodeId>& list, NodeId node);
  void set_last(Node& of, NodeId last);
  void drop(NodeId node);
  void drop_lists(Node& node);
  void retire(NodeId node);
  void collect(NodeId target, Node& node);
  bool is_used_up() const noexcept { return drawn_ >= limit_; }

  RowsBuilder* rows_;
  Flows* flows_;
  uint64_t limit_;
  size_t edges_read_ = 0;
  size_t steps_read_ = 0;
  DenseTable<uint32_t> tasks_;  // places in `nodes_`
  DenseTable<uint32_t> groups_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;
  std::vector<NodeId> sources_;  // of one search
  std::vector<NodeId> left_;     // groups of it that are still to be looked at
  std::vector<NodeId> dropped_;  // nodes that one list less is in
  uint64_t left_out_of_search_ = 0;
  uint64_t last_mark_ = 0;
  uint64_t drawn_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace perseid
