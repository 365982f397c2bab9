// timeline/writers/json/json_text.cpp: escapes and repairs text.
#include "timeline/writers/json/json_text.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "timeline/writers/utf8.h"

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
        length = utf8_sequence_length(text);
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
