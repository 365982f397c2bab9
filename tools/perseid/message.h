// tools/perseid/message.h: lines for the user on stderr; stdout carries results only.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace perseid {

/// Writes "perseid: LINE" in one piece, so that lines of several ranks do not mix.
void print_line(std::string_view line);

/// Lines that are ready to be shown, in one piece.
void print_lines(std::string_view lines);

template <class... T>
void print_message(fmt::format_string<T...> format, T&&... values) {
  print_line(fmt::format(format, std::forward<T>(values)...));
}

/// A word as it must be typed in a shell.
std::string shell_word(std::string_view word);

}  // namespace perseid
