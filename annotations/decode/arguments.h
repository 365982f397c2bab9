// annotations/decode/arguments.h: the arguments in a record's payload, one after the other.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "annotations/events.h"
#include "capture/payload.h"
#include "capture/string_table.h"
#include "timeline/drawing/argument.h"

namespace perseid::annotations {

/// Takes the first argument off `words`. False at the end, and at words that are not an argument: a
/// payload that was cut ends early.
inline bool take_argument(std::span<const uint64_t>& words, StringTable& strings,
                          Argument& argument) {
  if (words.empty()) return false;
  const uint64_t head = words[0];
  const bool is_empty_text = arg_word(low_half(head), ArgType::kText, 0) == head;
  if (words.size() < 2 && !is_empty_text) return false;
  argument.key = strings.text(low_half(head));
  size_t taken = 2;
  switch (static_cast<ArgType>(head >> 32 & 0xff)) {
    case ArgType::kInt:
      argument.value = static_cast<int64_t>(words[1]);
      break;
    case ArgType::kUint:
      argument.value = words[1];
      break;
    case ArgType::kDouble:
      argument.value = std::bit_cast<double>(words[1]);
      break;
    case ArgType::kBool:
      argument.value = words[1] != 0;
      break;
    case ArgType::kPointer:
      argument.value = Pointer{words[1]};
      break;
    case ArgType::kText: {
      const size_t bytes = std::min<size_t>(head >> 40, 8 * (words.size() - 1));
      argument.value = std::string_view(reinterpret_cast<const char*>(words.data() + 1), bytes);
      taken = 1 + (bytes + 7) / 8;
      break;
    }
    default:
      return false;
  }
  words = words.subspan(taken);
  return true;
}

}  // namespace perseid::annotations
