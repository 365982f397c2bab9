// annotations/events.h: what the calls of perseid.h write.
//
// Arguments follow each other in the payload. Each is a word of
//    bits 0-31 string id of the key | 32-39 ArgType | 40-63 bytes of text (kText only)
// and then one word with the value, or the text padded with zeros to whole words.
#pragma once

#include "capture/event_info.h"

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
    {kBegin, "range_begin", {field::string("name")}, {field::arguments()}},
    {kEnd,
     "range_end",
     {field::number("depth", "open ranges around this one")},
     {field::arguments()}},
    {kInstant, "instant", {field::string("name")}, {field::arguments()}},
    {kCounter, "counter", {field::string("name")}, {field::real("value")}},
    {kFlowOut, "flow_out", {}, {field::identity("flow")}},
    {kFlowIn, "flow_in", {}, {field::identity("flow")}},
    {kThreadName, "thread_name", {field::string("name")}, {}},
    {kLaneBegin,
     "lane_begin",
     {field::string("name")},
     {field::string("lane"), field::identity("slice"), field::arguments()}},
    {kLaneEnd,
     "lane_end",
     {},
     {field::string("lane"), field::identity("slice"), field::arguments()}},
    {kPhase, "phase", {field::string("name", "none: the phase ends")}, {}},
    {kPause, "pause", {}, {}},
    {kResume, "resume", {}, {}},
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
