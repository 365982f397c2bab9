// timeline/writers/proto_bytes.h: the wire format of Protocol Buffers, by hand.
//
//   field    := tag value                 tag := varint(number << 3 | wire type)
//   varint   := 7 bits per byte, the lowest first; the high bit means that more follow
//   message  := tag(2) varint(length) field...
//
// A message is written before its length is known: one byte is left for it, and the few that are
// longer than 127 bytes move up.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "timeline/writers/byte_buffer.h"

namespace perseid {

/// The caller has reserved: kMaxField for every field, and the length of every text.
class ProtoBytes : public ByteBuffer {
 public:
  using ByteBuffer::ByteBuffer;

  static constexpr size_t kMaxField = 24;  // a tag, and the longest value that is no text

  void varint(uint64_t value) noexcept {
    while (value >= 0x80) {
      *at_++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *at_++ = static_cast<char>(value);
  }
  template <uint32_t kNumber>
  void unsigned_field(uint64_t value) noexcept {
    tag<kNumber, kVarint>();
    varint(value);
  }
  /// int32 and int64: a negative number takes ten bytes.
  template <uint32_t kNumber>
  void signed_field(int64_t value) noexcept {
    unsigned_field<kNumber>(static_cast<uint64_t>(value));
  }
  template <uint32_t kNumber>
  void fixed64_field(uint64_t value) noexcept {
    static_assert(std::endian::native == std::endian::little);
    tag<kNumber, kFixed64>();
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  template <uint32_t kNumber>
  void double_field(double value) noexcept {
    fixed64_field<kNumber>(std::bit_cast<uint64_t>(value));
  }
  template <uint32_t kNumber>
  void text_field(std::string_view value) noexcept {
    tag<kNumber, kLength>();
    varint(value.size());
    text(value);
  }

  /// Where the length of an open message goes; an offset, for reserve() may move the bytes.
  struct Message {
    size_t length_at;
  };
  template <uint32_t kNumber>
  Message begin_message() noexcept {
    tag<kNumber, kLength>();
    ++at_;
    return {size() - 1};
  }
  /// The innermost open message first.
  void end_message(Message message) noexcept {
    char* const length_at = at_ - (size() - message.length_at);
    const auto length = static_cast<size_t>(at_ - length_at - 1);
    if (length < 0x80) [[likely]] {
      *length_at = static_cast<char>(length);
      return;
    }
    move_up(length_at, length);
  }

 private:
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2 };

  template <uint32_t kNumber, WireType kType>
  void tag() noexcept {
    constexpr uint32_t kTag = kNumber << 3 | kType;
    static_assert(kTag < 1 << 14);
    if constexpr (kTag < 0x80) {
      *at_++ = static_cast<char>(kTag);
    } else {
      at_[0] = static_cast<char>(kTag | 0x80);
      at_[1] = static_cast<char>(kTag >> 7);
      at_ += 2;
    }
  }

  void move_up(char* length_at, size_t length) noexcept {
    const size_t width = (static_cast<size_t>(std::bit_width(length)) + 6) / 7;
    std::memmove(length_at + width, length_at + 1, length);
    at_ = length_at;
    varint(length);
    at_ += length;
  }
};

}  // namespace perseid
