// timeline/writers/json/tie_order.h: the order of what happens on one track at the same nanosecond.
//
// Slices reach a writer when they end, but readers build nesting from begins. At equal times the
// importer of JSON takes ends first, then slices from the longest to the shortest, then what has
// no length, in the order of the file; the importer of protobuf takes the order of the file. So
// that both formats nest alike, bytes that somebody may still have to precede are held back:
//
//   arrives first      held until                      because
//   -----------------  ------------------------------  ---------------------------------------
//   first child of P   P, which begins with it         P's begin must be before the child's
//   a point at t      the next slice as far out, or   it may begin at t and then contains the
//                      its parent                      point, or end at t and then does not
//
// A point is what has no length, an instant or a slice: both formats take them alike.
//
// Memory follows open slices and points at one time, not the run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/drawing/slice.h"

namespace perseid {

class TieOrder {
 public:
  /// Nothing is held and the slice touches nothing: it can be written as it comes.
  bool is_quick(const Slice& slice) const noexcept {
    return held_.empty() && slice.begin_ns != slice.end_ns && !slice.begins_with_parent;
  }

  /// What was held for a slice that is about to be written.
  struct Released {
    std::string before;            // goes to the file first
    std::string inside;            // begins with the slice: follows its begin at once
    std::string inside_apart;      // `inside` in its other form
    std::string after;             // points at its end
    bool has_first_child = false;  // `inside` has a slice, not only points
  };
  Released release(const Slice& slice);

  /// Takes bytes of a slice that begins with its parent, or of a point. `apart` is another form
  /// of them; "": there is none.
  void hold(const Slice& slice, std::string bytes, std::string apart = "");
  /// Takes `after` back.
  void hold_after(const Slice& slice, std::string bytes);

  bool is_empty() const noexcept { return held_.empty(); }
  /// Everything, at the end of the timeline.
  std::string take_all();

 private:
  struct Held {
    int64_t at_ns;
    uint32_t until_depth;  // a slice of this depth or further out decides
    bool is_point;
    std::string bytes;
    std::string apart;
  };
  static bool is_decided_by(const Held& held, const Slice& slice);

  std::vector<Held> held_;  // the deepest last
};

}  // namespace perseid
