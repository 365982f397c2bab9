// timeline/writers/json_text.cpp: escapes and repairs text.
#include "timeline/writers/json_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace perseid {
namespace {

enum ByteClass : uint8_t { kPlain, kEscaped, kBeyondAscii };

constexpr std::array<ByteClass, 256> make_classes() {
  std::array<ByteClass, 256> classes{};
  for (size_t i = 0; i < 256; ++i) {
    classes[i] = i < 0x20 || i == '"' || i == '\\' ? kEscaped : i < 0x80 ? kPlain : kBeyondAscii;
  }
  return classes;
}
constexpr std::array<ByteClass, 256> kClasses = make_classes();

bool is_plain(std::string_view text) noexcept {
  uint8_t seen = 0;
  for (const char c : text) seen |= kClasses[static_cast<uint8_t>(c)];
  return seen == 0;
}

/// Length of the well-formed sequence that starts here (Unicode 15, table 3-7), or 0.
size_t sequence_length(std::string_view text) noexcept {
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

void write_escaped(ByteBuffer& out, uint8_t byte) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      return out.literal("\\\"");
    case '\\':
      return out.literal("\\\\");
    case '\n':
      return out.literal("\\n");
    case '\t':
      return out.literal("\\t");
    default:
      out.literal("\\u00");
      out.byte(kHex[byte >> 4]);
      out.byte(kHex[byte & 15]);
  }
}

}  // namespace

void write_json_text(ByteBuffer& out, std::string_view text) {
  constexpr size_t kMaxPiece = 4096;
  if (text.size() <= kMaxPiece && is_plain(text)) [[likely]] {
    out.reserve(text.size());
    out.text(text);
    return;
  }
  while (!text.empty()) {
    out.reserve(8);
    const auto byte = static_cast<uint8_t>(text[0]);
    size_t length = 1;
    switch (kClasses[byte]) {
      case kPlain:
        out.byte(text[0]);
        break;
      case kEscaped:
        write_escaped(out, byte);
        break;
      case kBeyondAscii:
        length = sequence_length(text);
        if (length == 0) {
          out.literal("\xef\xbf\xbd");  // U+FFFD
          length = 1;
        } else {
          out.text(text.substr(0, length));
        }
        break;
    }
    text.remove_prefix(length);
  }
}

}  // namespace perseid
