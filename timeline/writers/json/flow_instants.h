// timeline/writers/json/flow_instants.h: arrows whose target began before their source.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timeline/drawing/slice.h"

namespace perseid {

/// Readers take an arrow's direction from the begins of its slices. Where the target began
/// first, a instant inside it, after the source's begin, takes the arrow.
inline bool needs_instant(const Slice& slice, const FlowEnd& flow) noexcept {
  return !flow.is_outgoing && slice.begin_ns <= flow.source_begin_ns &&
         slice.begin_ns != slice.end_ns;
}

/// The target was over when the source began: no reader can draw that.
inline bool is_impossible(const Slice& slice, const FlowEnd& flow) noexcept {
  if (flow.is_outgoing || slice.begin_ns > flow.source_begin_ns) return false;
  return slice.begin_ns == slice.end_ns || slice.end_ns <= flow.source_begin_ns + 1;
}

/// The instant lies inside the slice and not at its edges, after all that began there: it can be
/// written whatever is held back. `end` is the arrow's end as the instant has it, and must live as
/// long as the instant.
inline Slice instant_for(const Slice& slice, const FlowEnd& flow, FlowEnd& end) noexcept {
  end = flow;
  end.source_begin_ns = -1;
  Slice instant;
  instant.track = slice.track;
  instant.begin_ns = instant.end_ns =
      std::clamp(std::max(flow.at_ns, flow.source_begin_ns + 1), slice.begin_ns, slice.end_ns - 1);
  instant.is_instant = true;
  instant.name = instant.category = "flow";
  instant.depth = slice.depth + 1;
  instant.flows = {&end, 1};
  return instant;
}

}  // namespace perseid
