// capture/core_events.h: records that the recording core itself writes, into a thread's stream or
// into that of its own thread.
#pragma once

#include "capture/event_info.h"

namespace perseid::core {

enum Event : uint8_t {
  kSelfFlush = 1,
  kLost = 2,
  kCpuTimes = 3,  // in the stream of the recorder's own thread
};

inline constexpr EventInfo kEvents[] = {
    {kSelfFlush,
     "self_flush",
     {field::number("bytes", "written")},
     {field::ticks("begin", "of the pause")}},
    {kLost,
     "lost",
     {field::number("open_ranges", "now")},
     {field::number("records", "lost"), field::ticks("begin", "of the first loss"),
      field::number("fewest_open_ranges", "meanwhile")}},
    {kCpuTimes,
     "cpu_times",
     {},
     {field::number("of_stream").repeated(),
      field::number("cpu_ns", "that its thread has used so far")}},
};

inline constexpr uint16_t kind(Event event) noexcept { return make_kind(ProducerId::kCore, event); }

}  // namespace perseid::core
