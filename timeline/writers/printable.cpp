// timeline/writers/printable.cpp: escapes what a terminal would obey.
#include "timeline/writers/printable.h"

#include <fmt/format.h>

#include <cstdint>

#include "timeline/writers/utf8.h"

namespace perseid {
namespace {

/// Of a well-formed sequence of two or three bytes.
uint32_t code_point(std::string_view sequence) {
  const auto bits = [&](size_t i) { return static_cast<uint32_t>(sequence[i]) & 0x3f; };
  if (sequence.size() == 2) return (static_cast<uint32_t>(sequence[0]) & 0x1f) << 6 | bits(1);
  return (static_cast<uint32_t>(sequence[0]) & 0x0f) << 12 | bits(1) << 6 | bits(2);
}

/// C1 controls, separators of lines, and what makes text appear in another order than it has.
bool is_obeyed(uint32_t point) {
  return (point >= 0x80 && point <= 0x9f) || point == 0x61c || point == 0x200e || point == 0x200f ||
         (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void append_byte(std::string& to, char c) {
  switch (c) {
    case '\n':
      to += "\\n";
      return;
    case '\t':
      to += "\\t";
      return;
    case '\r':
      to += "\\r";
      return;
    default:
      to += fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const size_t length = utf8_sequence_length(text);
    const std::string_view sequence = text.substr(0, length);
    const auto first = static_cast<uint8_t>(text[0]);
    if (length == 0 || first < 0x20 || first == 0x7f) {
      append_byte(shown, text[0]);
    } else if ((length == 2 || length == 3) && is_obeyed(code_point(sequence))) {
      shown += fmt::format("\\u{:04x}", code_point(sequence));
    } else {
      shown += sequence;
    }
    text.remove_prefix(length != 0 ? length : 1);
  }
  return shown;
}

}  // namespace perseid
