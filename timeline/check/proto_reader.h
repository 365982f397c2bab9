// timeline/check/proto_reader.h: the fields of a Protocol Buffers message, one after the other.
#pragma once

#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace perseid {

/// protozero for files of anybody: a field may have another type than the schema's. Stops at the
/// first thing that is no field: is_sound() then is false.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view bytes) noexcept : fields_(bytes.data(), bytes.size()) {}

  /// False at the end.
  bool next() noexcept {
    try {
      if (!is_sound_ || !fields_.next()) return false;
      value_ = 0;
      bytes_ = {};
      switch (fields_.wire_type()) {
        case protozero::pbf_wire_type::varint:
          value_ = fields_.get_uint64();
          break;
        case protozero::pbf_wire_type::fixed64:
          value_ = fields_.get_fixed64();
          break;
        case protozero::pbf_wire_type::fixed32:
          value_ = fields_.get_fixed32();
          break;
        default: {
          const protozero::data_view view = fields_.get_view();
          bytes_ = {view.data(), view.size()};
        }
      }
      return true;
    } catch (const protozero::exception&) {
      return is_sound_ = false;
    }
  }

  uint32_t number() const noexcept { return fields_.tag(); }
  uint64_t value() const noexcept { return value_; }          // 0 if the field holds bytes
  std::string_view bytes() const noexcept { return bytes_; }  // empty if it holds a number
  bool is_sound() const noexcept { return is_sound_; }
  size_t left() const noexcept { return fields_.length(); }

 private:
  protozero::pbf_reader fields_;
  uint64_t value_ = 0;
  std::string_view bytes_;
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
