// starpu_hooks/decode_payload.h: the words of a record, as far as there are any.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perseid::starpu::decoding {

/// A record may be cut or damaged: a word that is missing reads as 0.
class Payload {
 public:
  explicit Payload(std::span<const uint64_t> words) : words_(words) {}

  uint64_t operator[](size_t index) const noexcept {
    return index < words_.size() ? words_[index] : 0;
  }
  double real(size_t index) const noexcept { return std::bit_cast<double>((*this)[index]); }
  int64_t integer(size_t index) const noexcept { return static_cast<int64_t>((*this)[index]); }
  std::span<const uint64_t> from(size_t index) const noexcept {
    return index < words_.size() ? words_.subspan(index) : std::span<const uint64_t>();
  }
  size_t size() const noexcept { return words_.size(); }

 private:
  std::span<const uint64_t> words_;
};

}  // namespace perseid::starpu::decoding
