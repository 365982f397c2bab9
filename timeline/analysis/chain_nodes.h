// timeline/analysis/chain_nodes.h: chains that share their past, in memory that follows those which
// may still grow.
//
//   root <-- node <-- node <-- node <-- a worker's latest task
//                      ^
//                      +------ node <-- a task that others wait for
//
// A node knows the time from its parent's end to its own. Nodes are held by whoever may extend them
// and by their children; a node that nobody holds is gone. compress() lets each node absorb the
// parents that only it holds: a tree with n leaves has fewer than 2n nodes, whatever its depth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/analysis/report_data.h"
#include "timeline/model/names.h"
#include "timeline/model/rows.h"

namespace perseid {

enum class ChainTaint : uint8_t { kNone, kNoSubmission, kNoPredecessor, kNoBegin };

class ChainNodes {
 public:
  using Ref = uint32_t;
  static constexpr Ref kNone = ~Ref{0};

  /// What a stretch of time is spent on.
  struct Activity {
    ChainLabel label = ChainLabel::kUnknown;
    NameId kind = 0;  // of kWork
    NameId name = 0;
    WorkerId worker = 0;
    TaskId task = 0;
  };

  /// `newest_segments`: how many segments of a chain are kept one by one; 0: none.
  /// `has_labels`: work is told from what is none; then there are sums(), relabel() and taint().
  explicit ChainNodes(size_t newest_segments, bool has_labels = true)
      : newest_segments_(newest_segments), has_labels_(has_labels) {}

  /// A chain without length, held by the caller.
  Ref make_root(int64_t at_ns) { return make(kNone, at_ns); }
  /// Begins where `parent` ends. Held by the caller, and holds its parent.
  Ref make_child(Ref parent);

  void hold(Ref node) noexcept { ++nodes_[node].refs; }
  void release(Ref node) {
    if (--nodes_[node].refs == 0) let_go(node);
  }
  /// `slot` holds `node` from now on, instead of what it held.
  void assign(Ref& slot, Ref node) {
    if (node != kNone) hold(node);
    if (slot != kNone) release(slot);
    slot = node;
  }
  void drop(Ref& slot) { assign(slot, kNone); }

  /// The chain in `slot` goes on until then; nothing if it has come so far. Others that hold it
  /// keep what they have.
  void extend(Ref& slot, int64_t until_ns, const Activity& activity);
  /// One more task of this kind.
  void count_task(Ref node, NameId kind) { add_kind(node, kind, 0, 1); }
  /// The work with which the parent of `child` ends was waited for from `begin_ns` on for another
  /// reason: it has this label, for `child` only.
  void relabel(Ref child, int64_t begin_ns, ChainLabel label);
  void taint(Ref node, ChainTaint reason, int64_t at_ns) noexcept;

  int64_t end_ns(Ref node) const noexcept { return nodes_[node].end_ns; }
  /// Begin of the work with which the chain ends; its end if that is not work.
  int64_t work_begin_ns(Ref node) const noexcept { return nodes_[node].work_begin_ns; }
  uint32_t refs(Ref node) const noexcept { return nodes_[node].refs; }

  /// Looks whether there is much to absorb.
  void compress_if_many() {
    if (live_ > 2 * live_after_compression_ + kFewNodes) compress();
    if (newest_segments_ > 0 && segments_in_use() > 3 * newest_segments_) forget_old_segments();
  }
  void compress();

  /// Absorbs all that is behind the node. No other chain may be asked for after it.
  void collect(Ref node);
  /// Of a node that was collected.
  const std::array<int64_t, kChainLabels>& sums(Ref node) const noexcept {
    return labels_[node].sums;
  }
  ChainTaint taint_of(Ref node) const noexcept { return nodes_[node].taint; }
  int64_t tainted_ns(Ref node) const noexcept { return labels_[node].taint_ns; }
  std::vector<KindTime> kinds(Ref node, const NameIds& names) const;
  std::vector<ChainSegment> latest(Ref node, const NameIds& names) const;

  size_t live() const noexcept { return live_; }
  size_t peak() const noexcept { return nodes_.size(); }

 private:
  static constexpr size_t kFewNodes = 1024;

  struct KindSum {
    int64_t ns = 0;
    NameId kind = 0;
    uint32_t tasks = 0;
  };
  /// One cache line.
  struct alignas(64) Node {
    int64_t end_ns = 0;
    int64_t work_begin_ns = 0;
    TaskId work_task = 0;
    Ref parent = kNone;
    uint32_t refs = 0;
    KindSum first_kind;       // most have one: no vector is touched
    uint32_t newest = kNone;  // segments, each with the one before
    uint32_t oldest = kNone;
    NameId work_kind = 0;
    ChainLabel relabel = ChainLabel::kWork;  // kWork: as it is
    ChainTaint taint = ChainTaint::kNone;
    bool has_more_kinds = false;
  };
  static_assert(sizeof(Node) == 64);
  struct alignas(64) Labels {
    int64_t relabel_ns = 0;  // from here on the end of the parent's work has the label
    int64_t taint_ns = 0;
    /// Its own. What a child relabels is negative there.
    std::array<int64_t, kChainLabels> sums{};
  };
  /// The one before ends where this one begins: it is gone if that is not after the horizon.
  struct Segment {
    int64_t begin_ns = 0;
    int64_t end_ns = kFree;
    TaskId task = 0;
    uint32_t before = kNone;
    WorkerId worker = 0;
    NameId name = 0;
    ChainLabel label = ChainLabel::kUnknown;
  };
  static constexpr int64_t kFree = INT64_MIN;

  Ref make(Ref parent, int64_t at_ns);
  void let_go(Ref node);
  void add_kind(Ref node, NameId kind, int64_t ns, uint32_t tasks);
  uint32_t take_segment(const Segment& segment);
  void add_segment(Node& node, int64_t begin_ns, int64_t end_ns, const Activity& activity);
  void free_segments(const Node& node);
  void free_segment(uint32_t at);
  bool has_segments(const Node& node) const noexcept {
    return node.newest != kNone && node.end_ns > horizon_ns_;
  }
  void relabel_segment(uint32_t at, int64_t begin_ns, ChainLabel label);
  void absorb(Ref node, Ref parent);
  void forget_old_segments();
  size_t segments_in_use() const noexcept { return segments_.size() - free_segments_.size(); }

  size_t newest_segments_;
  bool has_labels_;
  std::vector<Node> nodes_;
  std::vector<Labels> labels_;                    // of each node, if there are any
  std::vector<std::vector<KindSum>> more_kinds_;  // by node, sorted; as far as there are any
  std::vector<Ref> free_;
  std::vector<Segment> segments_;
  std::vector<uint32_t> free_segments_;
  int64_t horizon_ns_ = INT64_MIN;  // what ended up to here is forgotten
  size_t live_ = 0;
  size_t live_after_compression_ = 0;
};

}  // namespace perseid
