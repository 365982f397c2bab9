// timeline/drawing/flows.h: arrows that the program named by ids of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "timeline/drawing/slice.h"
#include "timeline/model/recent_by_id.h"

namespace perseid {

/// Programs use an id again once its arrow has arrived; readers want ids that are unique over
/// the whole trace. Remembers the latest kMaxOpen outgoing ends: an id nobody ever takes up
/// must not stay in memory.
class Flows {
 public:
  static constexpr size_t kMaxOpen = 262144;

  /// Ids are given from `first` on.
  explicit Flows(uint64_t first = 0) noexcept : last_id_(first) {}

  FlowEnd out(uint64_t user_id, int64_t at_ns, int64_t source_begin_ns) {
    const FlowEnd end = start(at_ns, source_begin_ns, FlowKind::kUser);
    sources_.put(user_id, {end.id, source_begin_ns});
    return end;
  }
  /// Nothing if no outgoing end of that id is known; counted.
  std::optional<FlowEnd> in(uint64_t user_id, int64_t at_ns) {
    const Source* const source = sources_.find(user_id);
    if (source == nullptr) {
      ++unmatched_;
      return std::nullopt;
    }
    return FlowEnd{source->id, false, at_ns, source->begin_ns, FlowKind::kUser};
  }

  /// The outgoing end of an arrow that a decoder draws without an id of the program's. It keeps
  /// the end for arrival_of().
  FlowEnd start(int64_t at_ns, int64_t source_begin_ns, FlowKind kind) noexcept {
    return {++last_id_, true, at_ns, source_begin_ns, kind};
  }

  uint64_t unmatched() const noexcept { return unmatched_; }

 private:
  struct Source {
    uint64_t id = 0;
    int64_t begin_ns = 0;
  };

  RecentById<Source, kMaxOpen> sources_;  // by the program's id
  uint64_t last_id_;
  uint64_t unmatched_ = 0;
};

}  // namespace perseid
