// plugin/settings/timeline_formats.h: the formats a user may ask for. timeline/writers/writer.cpp
// writes them, and a test compares the two lists.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace perseid {

inline constexpr std::string_view kFormats[] = {"json", "json.gz", "pftrace", "pftrace.gz"};

/// "json+pftrace.gz": one or several, with + between them.
inline bool are_formats(std::string_view value) noexcept {
  for (;;) {
    const size_t end = std::min(value.find('+'), value.size());
    if (std::ranges::find(kFormats, value.substr(0, end)) == std::end(kFormats)) return false;
    if (end == value.size()) return true;
    value.remove_prefix(end + 1);
  }
}

}  // namespace perseid
