// timeline/writers/json/tie_order.cpp: holds bytes back, and lets them go.
#include "timeline/writers/json/tie_order.h"

#include <utility>

namespace perseid {
namespace {

bool is_point(const Slice& slice) { return slice.begin_ns == slice.end_ns; }

/// Which slice decides about `slice`: its parent if that begins with it, else also what follows.
uint32_t deciding_depth(const Slice& slice) {
  const bool only_parent = slice.begins_with_parent && slice.depth > 0;
  return only_parent ? slice.depth - 1 : slice.depth;
}

}  // namespace

TieOrder::Released TieOrder::release(const Slice& slice) {
  Released released;
  std::string points;
  size_t first = held_.size();
  while (first > 0 && is_decided_by(held_[first - 1], slice)) --first;
  for (size_t i = first; i < held_.size(); ++i) {
    Held& held = held_[i];
    if (held.at_ns == slice.begin_ns) {
      // A slice inside begins before all points there.
      std::string& inside = held.is_point ? points : released.inside;
      inside += held.bytes;
      if (!held.is_point) released.inside_apart += held.apart.empty() ? held.bytes : held.apart;
      released.has_first_child = released.has_first_child || !held.is_point;
    } else if (held.at_ns == slice.end_ns && held.is_point) {
      released.after += held.bytes;
    } else {
      released.before += held.bytes;
    }
  }
  released.inside += points;
  released.inside_apart += points;
  held_.resize(first);
  if (is_point(slice)) {  // points stay in the order of the file
    if (!released.inside.empty()) hold(slice, std::exchange(released.inside, {}));
    released.has_first_child = false;
  }
  return released;
}

/// A slice that begins with its parent also decides about points there: they go into it.
bool TieOrder::is_decided_by(const Held& held, const Slice& slice) {
  if (held.until_depth >= slice.depth) return true;
  return slice.begins_with_parent && held.is_point && held.at_ns == slice.begin_ns &&
         held.until_depth + 1 == slice.depth;
}

void TieOrder::hold(const Slice& slice, std::string bytes, std::string apart) {
  held_.push_back(
      {slice.begin_ns, deciding_depth(slice), is_point(slice), std::move(bytes), std::move(apart)});
}

void TieOrder::hold_after(const Slice& slice, std::string bytes) {
  if (bytes.empty()) return;
  held_.push_back({slice.end_ns, slice.depth, true, std::move(bytes), ""});
}

std::string TieOrder::take_all() {
  std::string bytes;
  for (Held& held : held_) bytes += held.bytes;
  held_.clear();
  return bytes;
}

}  // namespace perseid
