// capture/core_events.h: records that the recording core itself writes into a thread's stream.
#pragma once

#include "capture/record.h"

namespace perseid::core {

enum Event : uint8_t {
  kSelfFlush = 1,
  kLost = 2,
};

inline constexpr EventInfo kEvents[] = {
    {kSelfFlush, "self_flush", "bytes written", "ticks at which the pause began"},
    {kLost, "lost", "open ranges now",
     "records lost, ticks of the first one, fewest open ranges meanwhile"},
};

inline constexpr uint16_t kind(Event event) noexcept { return make_kind(ProducerId::kCore, event); }

}  // namespace perseid::core
