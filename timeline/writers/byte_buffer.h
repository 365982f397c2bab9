// timeline/writers/byte_buffer.h: text on its way to a file: literals by memcpy, numbers by
// std::to_chars.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "timeline/writers/byte_sink.h"

namespace perseid {

/// Callers pass how much room they need and then write without further checks. Without a sink it
/// keeps everything until clear().
class ByteBuffer {
 public:
  static constexpr size_t kBytes = 1 << 18;  // stays in the second-level cache

  explicit ByteBuffer(ByteSink& sink) : ByteBuffer(&sink, kBytes) {}
  ByteBuffer() : ByteBuffer(nullptr, 4096) {}

  /// All that is written until the next call is one piece in memory.
  void reserve(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) < bytes) [[unlikely]]
      make_room(bytes);
  }
  void flush() {
    sink_->write(data_.get(), size());
    passed_on_ += size();
    at_ = data_.get();
  }
  void clear() noexcept { at_ = data_.get(); }
  std::string_view view() const noexcept { return {data_.get(), size()}; }
  /// Everything that was ever written.
  uint64_t total_bytes() const noexcept { return passed_on_ + size(); }

  /// A literal: its length is known to the compiler, and the copy becomes a few moves.
  template <size_t N>
  void literal(const char (&text)[N]) noexcept {
    std::memcpy(at_, text, N - 1);
    at_ += N - 1;
  }
  void byte(char c) noexcept { *at_++ = c; }
  void text(std::string_view text) noexcept {
    if (text.empty()) return;  // it may be nowhere in memory
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
  /// Microseconds and some hundredths of a nanosecond, -50 to 50.
  void microseconds(int64_t ns, int hundredths) noexcept {
    if (hundredths == 0) [[likely]]
      return microseconds(ns);
    const int64_t before = hundredths < 0 ? ns - 1 : ns;
    const int left = hundredths < 0 ? hundredths + 100 : hundredths;
    microseconds(before);
    at_[0] = static_cast<char>('0' + left / 10);
    at_[1] = static_cast<char>('0' + left % 10);
    at_ += 2;
  }

  static constexpr size_t kMaxNumber = 32;  // no number of ours prints longer

 protected:
  size_t size() const noexcept { return static_cast<size_t>(at_ - data_.get()); }

  char* at_;

 private:
  ByteBuffer(ByteSink* sink, size_t bytes)
      : at_(nullptr), sink_(sink), data_(new char[bytes]), end_(data_.get() + bytes) {
    at_ = data_.get();
  }

  void make_room(size_t bytes) {
    if (sink_ != nullptr) flush();
    if (static_cast<size_t>(end_ - at_) >= bytes) return;
    const size_t used = size();
    const size_t capacity = std::max(2 * static_cast<size_t>(end_ - data_.get()), used + bytes);
    std::unique_ptr<char[]> larger(new char[capacity]);
    std::memcpy(larger.get(), data_.get(), used);
    data_ = std::move(larger);
    at_ = data_.get() + used;
    end_ = data_.get() + capacity;
  }

  ByteSink* sink_;
  std::unique_ptr<char[]> data_;
  char* end_;
  uint64_t passed_on_ = 0;
};

}  // namespace perseid
