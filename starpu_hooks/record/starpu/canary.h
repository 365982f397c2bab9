// starpu_hooks/record/starpu/canary.h: copies of StarPU's objects in which known values are looked
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "starpu_hooks/record/starpu/layout.h"

namespace perseid::starpu {

/// Bytes enough for a task or a codelet of any StarPU: a codelet holds one counter for each of up
/// to some thousand workers.
inline constexpr size_t kCanaryBytes = 32 * 1024;

/// The first `size` bytes of an object as they were at one time.
class Snapshot {
 public:
  void take(const void* object, size_t size) noexcept {
    size_ = size < sizeof bytes_ ? size : sizeof bytes_;
    std::memcpy(bytes_, object, size_);
  }

  /// Offset of the only place, aligned to `step`, that holds `value` here and not in `before`.
  uint16_t find(const void* value, size_t length, size_t step,
                const Snapshot& before) const noexcept {
    uint16_t found = kNotFound;
    for (size_t at = 0; at + length <= size_; at += step) {
      if (std::memcmp(bytes_ + at, value, length) != 0 ||
          std::memcmp(before.bytes_ + at, value, length) == 0)
        continue;
      if (found != kNotFound) return kNotFound;
      found = static_cast<uint16_t>(at);
    }
    return found;
  }

  template <class T>
  uint16_t find(T value, const Snapshot& before) const noexcept {
    return find(&value, sizeof value, sizeof value, before);
  }

  /// The only bit that differs from `before` outside [from, from + length). Mask 0 if there are
  /// none or several.
  FlagBit changed_bit(const Snapshot& before, size_t from = 0, size_t length = 0) const noexcept {
    FlagBit found;
    for (size_t at = 0; at < size_; ++at) {
      if (at >= from && at < from + length) continue;
      const auto difference = static_cast<uint8_t>(bytes_[at] ^ before.bytes_[at]);
      if (difference == 0) continue;
      const bool is_one_bit = (difference & (difference - 1)) == 0;
      if (found.mask != 0 || !is_one_bit) return FlagBit{};
      found = {static_cast<uint16_t>(at), difference};
    }
    return found;
  }

  const std::byte* at(size_t offset) const noexcept { return bytes_ + offset; }
  size_t size() const noexcept { return size_; }

 private:
  std::byte bytes_[kCanaryBytes];
  size_t size_ = 0;
};

/// Room for the probes, too large for a host's stack. Mapped for as long as a probe lasts.
struct Canaries {
  alignas(64) std::byte first[kCanaryBytes];
  alignas(64) std::byte second[kCanaryBytes];
  Snapshot before;
  Snapshot after;
  Snapshot empty;
};

/// How many bytes `initialize` writes: it must write all of them, whatever was there before.
/// 0 if it does not. Leaves an initialized object in `canaries.first`.
size_t measure(Canaries& canaries, void (*initialize)(void*, const StarpuApi&),
               const StarpuApi& api) noexcept;

/// `seed` varies the values that are looked for. False, and `doubt` names what was not found.
bool probe_task(const StarpuApi& api, const Constants& constants, Canaries& canaries, uint64_t seed,
                TaskLayout& layout, const char*& doubt) noexcept;
bool probe_codelet(const StarpuApi& api, const Constants& constants, Canaries& canaries,
                   uint64_t seed, CodeletLayout& layout, const char*& doubt) noexcept;

}  // namespace perseid::starpu
