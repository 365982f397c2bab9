// timeline/drawing/slice.h: something that took time on a track.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "timeline/drawing/argument.h"
#include "timeline/drawing/category.h"
#include "timeline/drawing/track.h"

namespace perseid {

/// What an arrow means.
enum class FlowKind : uint8_t {
  kUser,        // the program drew it
  kSubmission,  // from where a task was handed out to its execution
  kDependency,  // from a task to one that waited for it
  kSteal,       // from the worker that had queued a task to the one that took it
  kResume,      // from where a task was suspended to where it goes on
  kFork,        // from a parallel region to the threads that join it
  kJoin,        // from the last task to who waited for it
  kDeviceCall,  // from a task to its calls of a device, and from there to the device's work
  kMessage,     // between processes
};

/// One end of an arrow, attached to the slice it touches. Both ends carry the same id. An id is
/// given to one outgoing end only; several incoming ends may share it.
struct FlowEnd {
  uint64_t id;
  bool is_outgoing;
  int64_t at_ns;            // when the program named the flow, inside the slice
  int64_t source_begin_ns;  // begin of the slice where the arrow starts
  FlowKind kind = FlowKind::kUser;
};

/// The other end of an arrow that starts with `out`.
inline FlowEnd arrival_of(const FlowEnd& out, int64_t at_ns) noexcept {
  return {out.id, false, at_ns, out.source_begin_ns, out.kind};
}

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
  std::string_view colour;  // what its colour is made from; "": its name
  SliceRole role = SliceRole::kOther;
  std::span<const Argument> arguments;
  std::span<const FlowEnd> flows;

  void set_category(const Category& its) noexcept {
    category = its.name;
    role = its.role;
  }
};

}  // namespace perseid
