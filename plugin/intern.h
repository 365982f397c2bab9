// plugin/intern.h: name -> 32-bit id. The text is copied once into the mapped strings file.
//
// An id is the text's place in the file divided by 8, so that a reader needs no index, also
// after a crash. Looking up a known name takes no lock and no system call. Two threads that
// bring the same new name at once may store it twice; both ids are good.
#pragma once

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>

#include "capture/format.h"

namespace perseid {

class Names {
 public:
  /// False and errno if the file cannot be made.
  bool open(const char* path, uint64_t session, std::atomic<uint64_t>* lost) noexcept;

  /// Gives the memory back; only for a session that could not begin.
  void close() noexcept;

  /// 0 for an empty text, or when the table or the disk is full (then `lost` counts it).
  /// Texts longer than kMaxStringBytes are cut.
  uint32_t intern(const char* text, size_t length) noexcept;

 private:
  static constexpr uint32_t kSlots = 1u << 21;
  static constexpr uint32_t kMaxNames = kSlots / 2;
  static constexpr uint64_t kMaxReservedBytes = 256ull * 1024 * 1024;
  static constexpr uint64_t kStepBytes = 256 * 1024;

  static uint64_t affordable_bytes() noexcept;
  uint32_t store(const char* text, size_t length) noexcept;
  bool grow(uint64_t needed) noexcept;
  bool is_same(uint32_t id, const char* text, size_t length) const noexcept;
  StringsHeader* header() const noexcept { return reinterpret_cast<StringsHeader*>(base_); }

  std::byte* base_ = nullptr;  // reserved_bytes_, of which `mapped_` are the file
  uint64_t reserved_bytes_ = 0;
  std::atomic<uint32_t>* slots_ = nullptr;  // ids by hash; 0 is free
  std::atomic<uint64_t> mapped_{0};
  std::atomic<uint32_t> count_{0};
  std::atomic<bool> is_growing_{false};
  std::atomic<bool> is_full_{false};
  std::atomic<uint64_t>* lost_ = nullptr;
  char path_[PATH_MAX] = "";
};

}  // namespace perseid
