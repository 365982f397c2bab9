// timeline/writers/byte_buffer.h: text on its way to a file: literals by memcpy, numbers by
// std::to_chars.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "timeline/writers/output_file.h"

namespace perseid {

/// Callers say how much room they need and then write without further checks.
class ByteBuffer {
 public:
  static constexpr size_t kBytes = 1 << 20;

  explicit ByteBuffer(OutputFile& file) : file_(&file), data_(new char[kBytes]), at_(data_.get()) {}

  /// At most kBytes.
  void reserve(size_t bytes) {
    if (static_cast<size_t>(data_.get() + kBytes - at_) < bytes) [[unlikely]]
      flush();
  }
  void flush() {
    file_->write(data_.get(), static_cast<size_t>(at_ - data_.get()));
    at_ = data_.get();
  }

  /// A literal: its length is known to the compiler, and the copy becomes a few moves.
  template <size_t N>
  void literal(const char (&text)[N]) noexcept {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  void byte(char c) noexcept { *at_++ = c; }
  void text(std::string_view text) noexcept {
    std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  template <class Number>
  void number(Number value) noexcept {
    at_ = std::to_chars(at_, at_ + kMaxNumber, value).ptr;
  }
  void hexadecimal(uint64_t value) noexcept {
    at_ = std::to_chars(at_, at_ + kMaxNumber, value, 16).ptr;
  }
  /// Nanoseconds as microseconds, exactly: 1234567 is 1234.567.
  void microseconds(int64_t ns) noexcept {
    const auto whole = static_cast<uint64_t>(ns) / 1000;
    const auto rest = static_cast<unsigned>(static_cast<uint64_t>(ns) % 1000);
    number(whole);
    at_[0] = '.';
    at_[1] = static_cast<char>('0' + rest / 100);
    at_[2] = static_cast<char>('0' + rest / 10 % 10);
    at_[3] = static_cast<char>('0' + rest % 10);
    at_ += 4;
  }

  static constexpr size_t kMaxNumber = 32;  // no number of ours prints longer

 private:
  OutputFile* file_;
  std::unique_ptr<char[]> data_;
  char* at_;
};

}  // namespace perseid
