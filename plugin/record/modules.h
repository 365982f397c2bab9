// plugin/record/modules.h: which file a code address belongs to, written to the capture while it is
// loaded.
//
// Records carry addresses as they are. The capture's file `modules` lists which program or library
// lay there, so that names can be found later, elsewhere, and for libraries that have gone:
//
//   module TICKS BEGIN END BIAS BUILD-ID PATH      numbers and build id in hexadecimal
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plugin/session/own_directory.h"

namespace perseid {

/// The addresses of a loaded file, half open.
struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool contains(uint64_t address) const noexcept { return address >= begin && address < end; }
};

/// The loaded file around `address`; empty if there is none.
CodeRange code_range_of(const void* address) noexcept;

/// Lines on their way to the capture's text: any thread appends, the drainer writes.
class ModuleLines {
 public:
  /// Returns when the line is in the file: what follows it may be a kill. False if that failed.
  bool append(std::string_view line) noexcept;
  /// The drainer's: true if there was something to write.
  bool write(OwnDirectory& capture) noexcept;
  void forget() noexcept;

 private:
  static constexpr uint32_t kRoomBytes = 256 * 1024;

  std::atomic_ref<uint32_t> length_at(uint32_t at) noexcept {
    return std::atomic_ref(*reinterpret_cast<uint32_t*>(room_ + at));
  }

  // Each line is its length, written last, and its text, up to a multiple of 4.
  alignas(4) std::byte room_[kRoomBytes]{};
  std::atomic<uint32_t> reserved_{0};
  std::atomic<uint32_t> written_{0};
};

/// The addresses whose file this session's capture knows. From any thread.
class Modules {
 public:
  bool is_noted(uint64_t address) const noexcept {
    const size_t at = slot_of(address);
    return slots_[at].load(std::memory_order_relaxed) == address ||
           slots_[at ^ 1].load(std::memory_order_relaxed) == address;
  }
  /// Looks the address up and writes its file to the capture, once.
  void note(uint64_t address) noexcept;
  /// The drainer's: true if it had lines to write.
  bool write_lines(OwnDirectory& capture) noexcept { return lines_.write(capture); }
  /// A new session begins: nothing is known yet. While there is one thread.
  void forget() noexcept;

 private:
  static constexpr size_t kSlots = 2048;
  static constexpr size_t kMaxModules = 1024;

  static size_t slot_of(uint64_t address) noexcept {
    return static_cast<size_t>((address * 0x9e3779b97f4a7c15) >> 53);
  }
  bool add_once(uint64_t begin, uint64_t checksum) noexcept;

  // Two slots for each hash: addresses of a program are few, and those with the same hash must not
  // push each other out again and again.
  std::array<std::atomic<uint64_t>, kSlots> slots_{};
  std::array<std::atomic<uint64_t>, kMaxModules> written_{};  // checksums of what is in the text
  ModuleLines lines_{};
};

inline constinit Modules g_modules{};

/// The slow path of note_code. Joins the session.
void note_new_code(uint64_t address) noexcept;

/// Before a record that carries the address.
inline void note_code(const void* address) noexcept {
  const auto value = reinterpret_cast<uint64_t>(address);
  if (value != 0 && !g_modules.is_noted(value)) [[unlikely]]
    note_new_code(value);
}

}  // namespace perseid
