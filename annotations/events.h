// annotations/events.h: what the calls of perseid.h write.
//
// Arguments follow each other in the payload. Each is a word of
//    bits 0-31 string id of the key | 32-39 ArgType | 40-63 bytes of text (kText only)
// and then one word with the value, or the text padded with zeros to whole words.
#pragma once

#include "capture/record.h"

namespace perseid::annotations {

enum Event : uint8_t {
  kBegin = 1,
  kEnd = 2,
  kInstant = 3,
  kCounter = 4,
  kFlowOut = 5,
  kFlowIn = 6,
  kThreadName = 7,
  // 8: nobody ever recorded it
  kLaneBegin = 9,
  kLaneEnd = 10,
  kPhase = 11,
  kPause = 12,
  kResume = 13,
};

inline constexpr EventInfo kEvents[] = {
    {kBegin, "range_begin", "string id of the name", "arguments"},
    {kEnd, "range_end", "open ranges around this one", "arguments"},
    {kInstant, "instant", "string id of the name", "arguments"},
    {kCounter, "counter", "string id of the name", "value as a double"},
    {kFlowOut, "flow_out", "0", "flow id"},
    {kFlowIn, "flow_in", "0", "flow id"},
    {kThreadName, "thread_name", "string id of the name", "none"},
    {kLaneBegin, "lane_begin", "string id of the name", "lane id, slice id, arguments"},
    {kLaneEnd, "lane_end", "0", "lane id, slice id, arguments"},
    {kPhase, "phase", "string id of the name, 0 to end the phase", "none"},
    {kPause, "pause", "0", "none"},
    {kResume, "resume", "0", "none"},
};

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kAnnotations, event);
}

enum class ArgType : uint8_t {
  kInt = 1,
  kUint = 2,
  kDouble = 3,
  kBool = 4,
  kPointer = 5,
  kText = 6
};

constexpr uint64_t arg_word(uint32_t key, ArgType type, uint32_t text_bytes) noexcept {
  return uint64_t{key} | uint64_t{static_cast<uint8_t>(type)} << 32 | uint64_t{text_bytes} << 40;
}

}  // namespace perseid::annotations
