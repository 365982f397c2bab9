// tools/perseid/message.cpp: one write per line.
#include "tools/perseid/message.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "timeline/writers/printable.h"

namespace perseid {

void print_line(std::string_view line) {
  // A line contains names of files and programs, which may hold any byte.
  const std::string whole = fmt::format("perseid: {}\n", printable(line));
  // A closed stderr must not change the exit status of the program that ran.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, whole.data(), whole.size());
}

void print_lines(std::string_view lines) {
  if (lines.empty()) return;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, lines.data(), lines.size());
}

std::string shell_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  // Only this form of quotes has a way to write what a terminal would obey.
  if (const std::string shown = printable(word); shown != word) {
    std::string quoted = "$'";
    for (const char c : word) {
      const bool is_kept = c == ' ' || is_plain(c);
      quoted += is_kept ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<uint8_t>(c));
    }
    return quoted + "'";
  }
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace perseid
