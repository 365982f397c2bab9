// timeline/check/proto_reader.h: the fields of a Protocol Buffers message, one after the other.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace perseid {

/// Stops at the first thing that is no field: is_sound() then is false.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) noexcept : rest_(bytes) {}

  /// False at the end.
  bool next() noexcept {
    if (rest_.empty() || !is_sound_) return false;
    uint64_t tag = 0;
    if (!read_varint(tag)) return false;
    number_ = static_cast<uint32_t>(tag >> 3);
    switch (tag & 7) {
      case 0:
        return read_varint(value_);
      case 1:
        return read_fixed(8);
      case 5:
        return read_fixed(4);
      case 2: {
        uint64_t length = 0;
        if (!read_varint(length)) return false;
        if (length > rest_.size()) return is_sound_ = false;
        bytes_ = rest_.substr(0, static_cast<size_t>(length));
        rest_.remove_prefix(static_cast<size_t>(length));
        return true;
      }
      default:
        return is_sound_ = false;
    }
  }

  uint32_t number() const noexcept { return number_; }
  uint64_t value() const noexcept { return value_; }
  std::string_view bytes() const noexcept { return bytes_; }
  bool is_sound() const noexcept { return is_sound_; }
  size_t left() const noexcept { return rest_.size(); }

 private:
  bool read_varint(uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) return is_sound_ = false;
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return is_sound_ = false;
  }
  bool read_fixed(size_t bytes) noexcept {
    if (rest_.size() < bytes) return is_sound_ = false;
    value_ = 0;
    std::memcpy(&value_, rest_.data(), bytes);
    rest_.remove_prefix(bytes);
    return true;
  }

  std::string_view rest_;
  std::string_view bytes_;
  uint64_t value_ = 0;
  uint32_t number_ = 0;
  bool is_sound_ = true;
};

/// True if the bytes are fields to the last one.
inline bool is_message(std::string_view bytes) noexcept {
  ProtoReader fields(bytes);
  while (fields.next()) {
  }
  return fields.is_sound();
}

}  // namespace perseid
