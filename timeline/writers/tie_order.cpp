// timeline/writers/tie_order.cpp: holds bytes back, and lets them go.
#include "timeline/writers/tie_order.h"

#include <utility>

namespace perseid {

TieOrder::Released TieOrder::release(const Slice& slice) {
  Released released;
  size_t first = held_.size();
  while (first > 0 && held_[first - 1].until_depth >= slice.depth) --first;
  const bool is_moment = slice.begin_ns == slice.end_ns;
  for (size_t i = first; i < held_.size(); ++i) {
    Held& held = held_[i];
    if (held.at_ns == slice.begin_ns) {
      released.inside += held.bytes;
      released.has_first_child = released.has_first_child || !held.is_moment;
    } else if (held.at_ns == slice.end_ns && held.is_moment) {
      released.after += held.bytes;
    } else {
      released.before += held.bytes;
    }
  }
  held_.resize(first);
  if (is_moment) {  // moments stay in the order of the file
    if (!released.inside.empty()) {
      held_.push_back({slice.begin_ns, slice.depth, true, std::exchange(released.inside, {})});
    }
    released.has_first_child = false;
  }
  return released;
}

void TieOrder::hold(const Slice& slice, std::string bytes) {
  const bool is_moment = slice.begin_ns == slice.end_ns;
  const uint32_t until = is_moment || slice.depth == 0 ? slice.depth : slice.depth - 1;
  held_.push_back({slice.begin_ns, until, is_moment, std::move(bytes)});
}

void TieOrder::hold_after(const Slice& slice, std::string bytes) {
  if (bytes.empty()) return;
  held_.push_back({slice.end_ns, slice.depth, true, std::move(bytes)});
}

std::string TieOrder::take_all() {
  std::string bytes;
  for (Held& held : held_) bytes += held.bytes;
  held_.clear();
  return bytes;
}

}  // namespace perseid
