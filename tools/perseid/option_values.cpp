// tools/perseid/option_values.cpp: reads numbers with their units.
#include "tools/perseid/option_values.h"

#include <charconv>
#include <cmath>

namespace perseid {

bool read_count(std::string_view text, uint64_t& count) {
  if (text == "all") {
    count = UINT64_MAX;
    return true;
  }
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return false;
  count = number;
  return true;
}

bool read_size(std::string_view text, uint64_t& bytes) {
  unsigned shift = 0;
  if (!text.empty() && text != "all") {
    const char unit = text.back();
    if (unit == 'k' || unit == 'K') shift = 10;
    if (unit == 'm' || unit == 'M') shift = 20;
    if (unit == 'g' || unit == 'G') shift = 30;
    if (shift != 0) text.remove_suffix(1);
  }
  uint64_t number = 0;
  if (!read_count(text, number) || (shift != 0 && number > UINT64_MAX >> shift)) return false;
  bytes = number << shift;
  return true;
}

bool read_time(std::string_view text, int64_t& ns) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || !(number >= 0)) return false;
  const std::string_view unit(stop, static_cast<size_t>(end - stop));
  double scale = 0;
  if (unit.empty() || unit == "s") scale = 1e9;
  if (unit == "ms") scale = 1e6;
  if (unit == "us") scale = 1e3;
  if (unit == "ns") scale = 1;
  constexpr double kMaxLength = 9e18;
  if (scale == 0 || number * scale > kMaxLength) return false;
  ns = std::llround(number * scale);
  return true;
}

}  // namespace perseid
