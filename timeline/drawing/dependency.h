// timeline/drawing/dependency.h: one end of the arrows that show which task waited for which.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "timeline/drawing/release_chain.h"
#include "timeline/drawing/slice.h"

namespace perseid {

/// A task, or a moment, that others may wait for. Whoever may still draw an arrow from it holds a
/// reference; it holds none to what it waited for, so that the past of a run is forgotten.
struct DependencyNode {
  DependencyNode() = default;
  DependencyNode(const DependencyNode&) = delete;
  DependencyNode& operator=(const DependencyNode&) = delete;
  ~DependencyNode() { release_chain(ends_with, &DependencyNode::ends_with); }

  enum class State : uint8_t {
    kComing,  // has not begun
    kOpen,    // has begun; `out` is its arrow's end
    kDrawn,   // its slice is with the sink, and so is `out`
    kHidden,  // its slice is with the sink, without `out`
  };

  uint64_t task = 0;  // as the decoder names it
  State state = State::kComing;
  bool has_arrow = false;
  FlowEnd out{};
  std::vector<std::shared_ptr<DependencyNode>> ends_with;  // who waits for it waits for them too
  uint64_t mark = 0;  // the last number that keep_once() saw it with
};
using NodeRef = std::shared_ptr<DependencyNode>;

/// Leaves each node once, in order of first appearance. `number` is never used twice.
inline void keep_once(std::vector<NodeRef>& nodes, uint64_t number) {
  std::erase_if(
      nodes, [number](const NodeRef& node) { return std::exchange(node->mark, number) == number; });
}

/// Counts arrows against the limit the user set: a large program has more of them than any
/// reader can hold.
class DependencyBudget {
 public:
  static constexpr uint64_t kDefault = 100'000;

  explicit DependencyBudget(uint64_t limit = kDefault) : limit_(limit) {}

  bool is_off() const noexcept { return limit_ == 0; }
  bool is_used_up() const noexcept { return drawn_ >= limit_; }
  uint64_t drawn() const noexcept { return drawn_; }
  uint64_t hidden() const noexcept { return hidden_; }

  /// The end that comes in at `at_ns`, or one with id 0 if there can be no arrow: readers take
  /// none that points back in time, as from a task that runs again by now.
  FlowEnd draw(DependencyNode& from, int64_t at_ns) noexcept {
    const bool is_shown =
        from.state == DependencyNode::State::kOpen || from.state == DependencyNode::State::kDrawn;
    if (!is_shown || from.out.source_begin_ns > at_ns || is_used_up()) {
      ++hidden_;
      return {};
    }
    ++drawn_;
    from.has_arrow = true;
    return arrival_of(from.out, at_ns);
  }

  /// The same for arrows between nodes of another kind; `is_possible`: it points forward in time.
  bool take(bool is_possible) noexcept {
    const bool is_drawn = is_possible && !is_used_up();
    ++(is_drawn ? drawn_ : hidden_);
    return is_drawn;
  }

  /// Its slice goes to the sink now: does the arrow's end go with it? `may_get_more`: others
  /// hold a reference.
  bool close(DependencyNode& node, bool may_get_more) noexcept {
    const bool goes = node.has_arrow || (may_get_more && !is_used_up());
    node.state = goes ? DependencyNode::State::kDrawn : DependencyNode::State::kHidden;
    return goes;
  }

 private:
  uint64_t limit_;
  uint64_t drawn_ = 0;
  uint64_t hidden_ = 0;
};

}  // namespace perseid
