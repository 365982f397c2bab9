// capture/manifest.h: the text at the root of a capture: who, where, which clock and settings.
//
//   perseid-capture 1
//   session 00c0ffee00c0ffee
//   exe /usr/bin/solver
//   ...
//   checksum 1a2b3c4d
//
// A value is the rest of its line; a backslash in it is written \\ and a newline \n. The last
// line sums all bytes before it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perseid {

struct Manifest {
  std::vector<std::pair<std::string, std::string>> entries;  // in the order of the file
  uint32_t version = 0;                                      // 0: not a manifest
  std::string problem;                                       // "": whole and unchanged

  /// Empty when there is no such key.
  std::string_view get(std::string_view key) const noexcept;
  /// 0 when it is missing or no number.
  uint64_t get_number(std::string_view key, int base = 10) const noexcept;
};

/// Keeps what it can: a manifest with a problem still shows its readable lines.
Manifest parse_manifest(std::string_view text);

/// The inverse, for tests and tools; the recording half writes its own without allocating.
std::string format_manifest(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace perseid
