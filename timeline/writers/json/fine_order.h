// timeline/writers/json/fine_order.h: an order within one nanosecond, for readers of decimal
// fractions.
//
// Perfetto rounds times to nanoseconds. Other viewers of JSON compute in fractions: they take the
// end of a slice to be ts + dur, which may lie a rounding error after the begin of the next slice
// or before the end of one inside, and then nest wrongly, leave slices open, or bind an arrow to
// the neighbour. So what touches something else of its track is printed some hundredths of a
// nanosecond away, in the order in which it happens; rounded, it is where it was.
//
//   -.05         instants with arrows
//    .00 - .15   ends, from the innermost to the outermost
//    .20 - .40   begins, from the outermost to the innermost
//    .42 - .49   what has no length, one after the other
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/drawing/slice.h"

namespace perseid {

/// Hundredths of a nanosecond after a slice's own begin and end.
struct FinePlace {
  int begin = 0;
  int end = 0;
};

/// Of one track, whose slices come in the order of their ends.
class FineOrder {
 public:
  /// After eight hours fractions have no room for hundredths any more.
  static constexpr int64_t kUntilNs = 30'000'000'000'000;

  FinePlace place(const Slice& slice) {
    FinePlace place;
    if (slice.end_ns >= kUntilNs) [[unlikely]]
      return place;
    if (levels_.size() < slice.depth + size_t{2}) [[unlikely]]
      levels_.resize(slice.depth + size_t{2});
    Ended& before = levels_[slice.depth];
    if (slice.begin_ns == slice.end_ns) [[unlikely]] {
      if (!slice.is_instant || slice.begins_with_parent) return place_of_point(slice.begin_ns);
      // To chrome://tracing an instant is a part of what ends with it: arrows must find it there.
      if (!slice.flows.empty() && slice.begin_ns > 0) place.begin = place.end = kBeforeEnds;
      return place;
    }
    const bool touches = slice.begins_with_parent || slice.begin_ns == before.at_ns;
    if (touches) place.begin = kBegins + static_cast<int>(std::min(slice.depth, kMaxDepth));
    const Ended& inside = levels_[slice.depth + 1];
    if (inside.at_ns == slice.end_ns) place.end = std::min(inside.hundredths + 1, kMaxEnd);
    before = {slice.end_ns, place.end};
    return place;
  }

 private:
  FinePlace place_of_point(int64_t at_ns) noexcept {
    points_ = at_ns == last_point_ns_ ? std::min(points_ + 1, kMaxPoints) : 0;
    last_point_ns_ = at_ns;
    return {kPoint + 2 * points_, kPoint + 2 * points_ + 1};
  }

  static constexpr int kBeforeEnds = -5;
  static constexpr int kMaxEnd = 15;
  static constexpr int kBegins = 20;
  static constexpr uint32_t kMaxDepth = 20;
  static constexpr int kPoint = 42;
  static constexpr int kMaxPoints = 3;

  struct Ended {
    int64_t at_ns = -1;
    int hundredths = 0;
  };
  std::vector<Ended> levels_;  // the latest end, by depth
  int64_t last_point_ns_ = -1;
  int points_ = 0;  // at that time, before the latest
};

}  // namespace perseid
