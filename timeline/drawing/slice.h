// timeline/drawing/slice.h: something that took time on a track.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "timeline/drawing/argument.h"
#include "timeline/drawing/track.h"

namespace perseid {

/// One end of an arrow, attached to the slice it touches. Both ends carry the same id. An id is
/// given to one outgoing end only; several incoming ends may share it.
struct FlowEnd {
  uint64_t id;
  bool is_outgoing;
  int64_t at_ns;            // when the program named the flow, inside the slice
  int64_t source_begin_ns;  // begin of the slice where the arrow starts
};

/// Finished: begin and end are known, and within its track it nests with all others.
/// Views: valid while the sink's call lasts.
struct Slice {
  TrackId track = 0;
  int64_t begin_ns = 0;  // since the start of the session; never negative
  int64_t end_ns = 0;    // >= begin_ns
  bool is_instant = false;
  /// Writers need both to keep the order of what happens at the same nanosecond: how many open
  /// slices of its track are around it, and whether one of them begins with it.
  bool begins_with_parent = false;
  uint32_t depth = 0;
  std::string_view name;
  std::string_view category;
  std::span<const Argument> arguments;
  std::span<const FlowEnd> flows;
};

}  // namespace perseid
