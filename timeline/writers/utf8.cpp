// timeline/writers/utf8.cpp: finds and replaces what is no UTF-8.
#include "timeline/writers/utf8.h"

#include <cstdint>

namespace perseid {

size_t utf8_sequence_length(std::string_view text) noexcept {
  const auto at = [&](size_t i) {
    return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
  };
  const auto follows = [&](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return follows(1) ? 2 : 0;
  if (first < 0xf0) {
    const bool is_overlong = first == 0xe0 && at(1) < 0xa0;
    const bool is_surrogate = first == 0xed && at(1) > 0x9f;
    return follows(1) && follows(2) && !is_overlong && !is_surrogate ? 3 : 0;
  }
  if (first > 0xf4) return 0;
  const bool is_overlong = first == 0xf0 && at(1) < 0x90;
  const bool is_beyond = first == 0xf4 && at(1) > 0x8f;
  return follows(1) && follows(2) && follows(3) && !is_overlong && !is_beyond ? 4 : 0;
}

std::string_view repair_utf8(std::string_view text, std::string& scratch) {
  uint8_t seen = 0;
  for (const char c : text) seen |= static_cast<uint8_t>(c);
  if (seen < 0x80) return text;
  scratch.clear();
  bool is_sound = true;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t length = utf8_sequence_length(rest);
    is_sound = is_sound && length != 0;
    scratch += length != 0 ? rest.substr(0, length) : "\xef\xbf\xbd";
    rest.remove_prefix(length != 0 ? length : 1);
  }
  return is_sound ? text : std::string_view(scratch);
}

}  // namespace perseid
