// capture/process_stat.h: what distinguishes a process from a later one with the same id. Both
// halves read it: no allocation, no exceptions.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace perseid {

/// Of /proc/PID/stat: "PID (NAME) STATE ..." where NAME may hold anything.
struct ProcessStat {
  char state = 0;  // 0: the text is none of the kernel's
  uint64_t threads = 0;
  uint64_t start_ticks = 0;  // since the machine started

  /// Nothing of it runs any more; only its parent has not asked how it ended.
  bool is_dead() const noexcept { return state == 'X' || (state == 'Z' && threads <= 1); }
};

inline ProcessStat parse_process_stat(const char* text) noexcept {
  constexpr int kThreadsField = 20;
  constexpr int kStartField = 22;
  ProcessStat found;
  const char* at = std::strrchr(text, ')');
  if (!at || at[1] != ' ') return found;
  at += 2;
  const char state = *at;
  for (int field = 3; field < kStartField; ++field) {
    if (field == kThreadsField) found.threads = std::strtoull(at, nullptr, 10);
    at = std::strchr(at, ' ');
    if (!at) return found;
    ++at;
  }
  found.start_ticks = std::strtoull(at, nullptr, 10);
  found.state = state;
  return found;
}

}  // namespace perseid
