// timeline/writers/name_table.h: a small number for every text that comes again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perseid {

/// Names, categories and keys repeat millions of times, mostly from the same address: looking
/// there first saves the hash. What an address holds may change, so the bytes are compared.
class NameTable {
 public:
  /// More distinct names than this are no names but data; they get kNone.
  static constexpr uint32_t kMaxNames = 1 << 16;
  static constexpr uint32_t kNone = UINT32_MAX;

  /// Dense, from 0. Equal texts get equal numbers.
  uint32_t number_of(std::string_view text) {
    Recent& recent = recent_[place_of(text)];
    if (recent.address == text.data() && recent.size == text.size() &&
        std::memcmp(recent.copy, text.data(), text.size()) == 0) [[likely]] {
      return recent.number;
    }
    return look_up(text, recent);
  }
  std::string_view text(uint32_t number) const noexcept { return *texts_[number]; }
  uint32_t size() const noexcept { return static_cast<uint32_t>(texts_.size()); }

 private:
  struct Recent {
    const char* address = nullptr;
    const char* copy = nullptr;
    size_t size = 0;
    uint32_t number = kNone;
  };
  static constexpr size_t kRecent = 512;

  static size_t place_of(std::string_view text) noexcept {
    const auto address = reinterpret_cast<uintptr_t>(text.data());
    return (address ^ address >> 9) % kRecent;
  }
  uint32_t look_up(std::string_view text, Recent& recent);

  std::array<Recent, kRecent> recent_{};
  std::unordered_map<std::string, uint32_t> numbers_;  // its nodes never move
  std::vector<const std::string*> texts_;
};

}  // namespace perseid
