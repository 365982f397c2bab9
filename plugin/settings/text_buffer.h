// plugin/settings/text_buffer.h: builds a text in the caller's memory; too long a text is cut,
// never an error.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace perseid {

/// Always terminated by a zero. For one thread at a time; allocates nothing, so that it may be
/// used in a signal handler.
class TextBuffer {
 public:
  /// `size` counts the terminating zero and is at least 1.
  TextBuffer(char* text, size_t size) noexcept : text_(text), size_(size) { text_[0] = '\0'; }
  template <size_t N>
  explicit TextBuffer(char (&text)[N]) noexcept : TextBuffer(text, N) {}

  TextBuffer& add(std::string_view more) noexcept {
    const size_t room = size_ - 1 - length_;
    const size_t taken = more.size() < room ? more.size() : room;
    is_cut_ = is_cut_ || taken < more.size();
    if (taken > 0) std::memcpy(text_ + length_, more.data(), taken);
    length_ += taken;
    text_[length_] = '\0';
    return *this;
  }

  TextBuffer& add(char more) noexcept { return add(std::string_view(&more, 1)); }

  TextBuffer& add_number(uint64_t number) noexcept {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return add(std::string_view(digits, static_cast<size_t>(end - digits)));
  }

  /// A foreign text for a message: in quotes, on one line, and not longer than a line should be.
  TextBuffer& add_quoted(std::string_view foreign) noexcept {
    constexpr size_t kMaxLength = 120;
    add('"');
    for (const char c : foreign.substr(0, kMaxLength)) {
      const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
      add(is_control ? '?' : c);
    }
    return add(foreign.size() > kMaxLength ? "...\"" : "\"");
  }

  void cut_to(size_t length) noexcept {
    if (length >= length_) return;
    length_ = length;
    text_[length_] = '\0';
  }

  std::string_view view() const noexcept { return {text_, length_}; }
  const char* c_str() const noexcept { return text_; }
  bool is_cut() const noexcept { return is_cut_; }

 private:
  char* text_;
  size_t size_;
  size_t length_ = 0;
  bool is_cut_ = false;
};

}  // namespace perseid
