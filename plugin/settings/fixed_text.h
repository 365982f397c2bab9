// plugin/settings/fixed_text.h: a TextBuffer that brings its own memory, for lines and paths on the
// stack.
#pragma once

#include <cerrno>
#include <climits>

#include "plugin/settings/text_buffer.h"

namespace perseid {

template <size_t Capacity>
struct TextMemory {
  char memory_[Capacity];
};

/// Always terminated; text that does not fit is cut, and is_cut() returns true.
template <size_t Capacity>
class FixedText : private TextMemory<Capacity>, public TextBuffer {
 public:
  FixedText() noexcept : TextBuffer(TextMemory<Capacity>::memory_) {}
  FixedText(const FixedText&) = delete;
  FixedText& operator=(const FixedText&) = delete;

  FixedText& operator<<(const char* text) noexcept {
    add(text ? text : "(null)");
    return *this;
  }
  FixedText& operator<<(char letter) noexcept {
    add(letter);
    return *this;
  }
  FixedText& operator<<(uint64_t number) noexcept {
    add_number(number);
    return *this;
  }

  /// Lower-case hexadecimal, padded with zeros to `digits`.
  FixedText& append_hex(uint64_t number, int digits) noexcept {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
      add("0123456789abcdef"[(number >> shift) & 15]);
    return *this;
  }

  FixedText& append_error(int error) noexcept {
    const char* name = strerrordesc_np(error);
    add(name ? name : "unknown error");
    return *this;
  }

  size_t size() const noexcept { return view().size(); }
};

using Line = FixedText<1024>;
using PathText = FixedText<PATH_MAX>;

}  // namespace perseid
