// capture/payload.h: the words of a record, as far as there are any, and two numbers in one word.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perseid {

/// Two numbers of 32 bits in one word, the first in the low half.
constexpr uint64_t halves(uint32_t low, uint32_t high) noexcept {
  return uint64_t{low} | uint64_t{high} << 32;
}
constexpr uint32_t low_half(uint64_t word) noexcept { return static_cast<uint32_t>(word); }
constexpr uint32_t high_half(uint64_t word) noexcept { return static_cast<uint32_t>(word >> 32); }

/// Reads a payload. A record may be cut or damaged: a word that is missing reads as 0. Valid as
/// long as the words.
class Payload {
 public:
  constexpr explicit Payload(std::span<const uint64_t> words) noexcept : words_(words) {}

  constexpr uint64_t operator[](size_t index) const noexcept {
    return index < words_.size() ? words_[index] : 0;
  }
  constexpr uint32_t low(size_t index) const noexcept { return low_half((*this)[index]); }
  constexpr uint32_t high(size_t index) const noexcept { return high_half((*this)[index]); }
  constexpr int64_t integer(size_t index) const noexcept {
    return static_cast<int64_t>((*this)[index]);
  }
  constexpr double real(size_t index) const noexcept {
    return std::bit_cast<double>((*this)[index]);
  }
  /// The words from `index` on; none if there are fewer.
  constexpr std::span<const uint64_t> from(size_t index) const noexcept {
    return index < words_.size() ? words_.subspan(index) : std::span<const uint64_t>();
  }
  constexpr size_t size() const noexcept { return words_.size(); }

 private:
  std::span<const uint64_t> words_;
};

}  // namespace perseid
