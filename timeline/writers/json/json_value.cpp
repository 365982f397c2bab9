// timeline/writers/json/json_value.cpp: prints numbers, truths, addresses and texts.
#include "timeline/writers/json/json_value.h"

#include <cmath>
#include <type_traits>
#include <variant>

#include "timeline/writers/json/json_text.h"

namespace perseid {
namespace {

constexpr auto kLargestNumber = static_cast<uint64_t>(INT64_MAX);

/// Most values have few decimals; finding the shortest text for any value costs ten times more.
/// False if the value is none of them.
bool write_few_decimals(ByteBuffer& out, double value) {
  constexpr double kScale = 10'000;
  constexpr double kLimit = 1e12;
  const double scaled = value * kScale;
  if (!(std::abs(scaled) < kLimit)) return false;
  const auto whole = static_cast<int64_t>(scaled);
  if (static_cast<double>(whole) / kScale != value) return false;
  const uint64_t absolute = static_cast<uint64_t>(whole < 0 ? -whole : whole);
  if (std::signbit(value)) out.byte('-');
  out.number(absolute / 10'000);
  out.byte('.');
  auto rest = static_cast<unsigned>(absolute % 10'000);
  unsigned unit = 1000;
  do {
    out.byte(static_cast<char>('0' + rest / unit));
    rest %= unit;
    unit /= 10;
  } while (rest != 0);
  return true;
}

void write_double(ByteBuffer& out, double value) {
  if (!std::isfinite(value)) {
    // The trace processor would lose all arguments of the slice.
    out.text(std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
  } else if (!write_few_decimals(out, value)) {
    out.number(value);
  }
}

}  // namespace

void write_json_value(ByteBuffer& out, const Argument& argument) {
  std::visit(
      [&out](const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          out.text(value ? "true" : "false");
        } else if constexpr (std::is_same_v<Value, int64_t>) {
          out.number(value);
        } else if constexpr (std::is_same_v<Value, uint64_t>) {
          // Above 2^63 - 1 Perfetto would read -1.0.
          const bool is_quoted = value > kLargestNumber;
          if (is_quoted) out.byte('"');
          out.number(value);
          if (is_quoted) out.byte('"');
        } else if constexpr (std::is_same_v<Value, double>) {
          write_double(out, value);
        } else if constexpr (std::is_same_v<Value, Pointer>) {
          out.literal("\"0x");
          out.hexadecimal(value.address);
          out.byte('"');
        } else {
          out.byte('"');
          write_json_text(out, value);
          out.reserve(1);
          out.byte('"');
        }
      },
      argument.value);
}

void write_json_id(ByteBuffer& out, uint64_t id) {
  if (id <= kLargestNumber) return out.number(id);
  out.literal("\"0x");
  out.hexadecimal(id);
  out.byte('"');
}

}  // namespace perseid
