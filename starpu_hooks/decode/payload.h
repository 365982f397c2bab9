// starpu_hooks/decode/payload.h: the words of a record, as far as there are any.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

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

/// StarPU returns -ENODEV and the like; a damaged record may hold any number. Valid until the next
/// call.
inline std::string_view error_text(int32_t result) {
  return std::strerror(result < 0 && result != INT32_MIN ? -result : result);
}

}  // namespace perseid::starpu::decoding
