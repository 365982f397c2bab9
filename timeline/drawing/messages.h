// timeline/drawing/messages.h: the arrow of a message between two processes.
#pragma once

#include <cstdint>

#include "timeline/drawing/slice.h"
#include "timeline/model/message_ids.h"

namespace perseid {

class Messages {
 public:
  /// The arrow of the channel's next message, as its sender sees it.
  FlowEnd send(const Channel& channel, int64_t at_ns, int64_t source_begin_ns) {
    return {ids_.send(channel), true, at_ns, source_begin_ns, FlowKind::kMessage};
  }
  /// The id of the channel's next message, as its receiver sees it. Ask in the order of posting.
  uint64_t expect(const Channel& channel) { return ids_.expect(channel); }

  /// The end of an arrow that comes from elsewhere: when it began there is not known here.
  static FlowEnd arrive(uint64_t id, int64_t at_ns) noexcept {
    return {id, false, at_ns, -1, FlowKind::kMessage};
  }

 private:
  MessageIds ids_;
};

}  // namespace perseid
