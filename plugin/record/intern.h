// plugin/record/intern.h: name -> 32-bit id. The text is copied once into the strings file.
//
// An id is the text's place in the file divided by 8, so that a reader needs no index, also
// after a crash. Looking up a known name takes no lock and no system call, a new name
// system calls, but no descriptor. Two threads that
// bring the same new name at once may store it twice; both ids are good.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "capture/format.h"
#include "plugin/record/mirrored_memory.h"
#include "plugin/session/own_directory.h"
#include "plugin/session/state_file.h"

namespace perseid {

class Names {
 public:
  /// Called by a thread that needs the file to have `bytes`: has grow() called by the one thread
  /// that opens files, and waits for it. False if the file cannot have them.
  using Grower = bool (*)(uint64_t bytes) noexcept;

  /// False and errno if the file cannot be made.
  bool open(OwnDirectory& directory, uint64_t session, StateFile& counters,
            Grower ask_to_grow) noexcept;

  /// Gives the memory back; only for a session that could not begin.
  void close() noexcept;

  /// 0 for an empty text, or when the table or the disk is full (then names_lost counts it).
  /// Texts longer than kMaxStringBytes are cut.
  uint32_t intern(const char* text, size_t length) noexcept;

  /// Another thread needs `bytes`; grow_ahead() will see to it.
  void want(uint64_t bytes) noexcept;
  bool has(uint64_t bytes) const noexcept { return memory_.size() >= bytes; }
  bool is_full() const noexcept { return is_full_.load(std::memory_order_relaxed); }

  // ---- the thread that opens files ----

  /// False if the file cannot have `needed` bytes.
  bool grow(uint64_t needed) noexcept;
  /// Grows as wanted, and before anybody has to wait. True if something has changed.
  bool grow_ahead() noexcept;

 private:
  static constexpr uint32_t kSlots = 1u << 21;
  static constexpr uint32_t kMaxNames = kSlots / 2;
  static constexpr uint64_t kMaxReservedBytes = 256ull * 1024 * 1024;
  static constexpr uint64_t kStepBytes = 256 * 1024;

  static uint64_t affordable_bytes() noexcept;
  uint32_t store(const char* text, size_t length) noexcept;
  bool is_same(uint32_t id, const char* text, size_t length) const noexcept;
  uint32_t refuse() noexcept;
  StringsHeader* header() const noexcept {
    return reinterpret_cast<StringsHeader*>(memory_.data());
  }

  MirroredMemory memory_;                   // the file
  std::atomic<uint32_t>* slots_ = nullptr;  // ids by hash; 0 is free
  std::atomic<uint32_t> count_{0};
  std::atomic<uint64_t> wanted_{0};
  std::atomic<bool> is_full_{false};
  StateFile* counters_ = nullptr;
  OwnDirectory* directory_ = nullptr;
  Grower ask_to_grow_ = nullptr;
};

}  // namespace perseid
