// timeline/drawing/argument.h: one typed key and value on a slice.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

namespace perseid {

/// An address, of a type other than a number so that writers show it in hexadecimal.
struct Pointer {
  uint64_t address;
};

/// Views: valid while the sink's call that carries it lasts.
struct Argument {
  std::string_view key;
  std::variant<int64_t, uint64_t, double, bool, Pointer, std::string_view> value;
};

}  // namespace perseid
