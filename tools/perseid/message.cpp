// tools/perseid/message.cpp: one write per line.
#include "tools/perseid/message.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace perseid {

void say_line(std::string_view line) {
  const std::string whole = fmt::format("perseid: {}\n", line);
  // A closed stderr must not change the exit status of the program that ran.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, whole.data(), whole.size());
}

std::string shell_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
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
