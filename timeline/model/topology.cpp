// timeline/model/topology.cpp: parses the topology text.
#include "timeline/model/topology.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace perseid {
namespace {

std::string_view take_word(std::string_view& line) {
  const size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

/// Takes `key` and the number after it.
bool take_number(std::string_view& line, std::string_view key, int32_t& value) {
  if (take_word(line) != key) return false;
  const std::string_view word = take_word(line);
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc() && stop == end && !word.empty();
}

}  // namespace

Topology::Topology(std::string_view text) {
  bool is_header = true;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (std::exchange(is_header, false)) {
      if (!line.starts_with("perseid-topology 1")) ++bad_lines_;
      continue;
    }
    int32_t cpu = 0;
    int32_t package = 0;
    Place place{};
    if (take_number(line, "pu", cpu) && take_number(line, "core", place.core) &&
        take_number(line, "numa", place.numa) && take_number(line, "package", package)) {
      places_[cpu] = place;
    } else {
      ++bad_lines_;
    }
  }
}

std::string Topology::place_of(int32_t cpu) const {
  const auto found = places_.find(cpu);
  if (found == places_.end()) return "";
  return fmt::format(" · core {} · NUMA {}", found->second.core, found->second.numa);
}

}  // namespace perseid
