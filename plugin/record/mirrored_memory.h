// plugin/record/mirrored_memory.h: memory whose changes are in a file at once, and survive any end.
//
//   memory   private: what the program's threads read and write
//   mirror   the file, mapped: the kernel alone writes to it, on our behalf
//
// A thread that stores to a mapped page ends the program with SIGBUS if another process has
// truncated the file, or if its disk is full or gone. A system call that copies to such a page
// fails instead. It needs no descriptor, so that it does not matter what the program does to
// descriptors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perseid {

/// One thread calls reserve, extend and release; mirror is for all, and for signal handlers.
/// Neither part exists in a forked child.
class MirroredMemory {
 public:
  /// Takes the address space that `bytes` and their mirror need. False and errno if it is short.
  bool reserve(uint64_t bytes) noexcept;

  /// Adds `bytes`, zeros, and gives the file `fd` room for them. All but the last extension are
  /// whole pages. False and errno if there is no room.
  bool extend(int fd, uint64_t bytes) noexcept;

  void release() noexcept;

  std::byte* data() const noexcept { return memory_; }
  uint64_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  uint64_t reserved_bytes() const noexcept { return reserved_bytes_; }

  /// Brings bytes that no other thread changes meanwhile into the file.
  void mirror(const void* changed, size_t bytes) const noexcept { copy(changed, changed, bytes); }

  /// mirror() of a value that other threads change, too. The thread that copied an older value last
  /// has to find the newer one afterwards: hence both fences, and the second look.
  template <class T>
  void mirror(const std::atomic<T>& changed) const noexcept {
    static_assert(sizeof changed == sizeof(T));
    std::atomic_thread_fence(std::memory_order_seq_cst);
    for (T value = changed.load();;) {
      copy(&changed, &value, sizeof value);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      const T now = changed.load();
      if (now == value) return;
      value = now;
    }
  }

 private:
  /// `value` goes to where the mirror has `place` of the memory.
  void copy(const void* place, const void* value, size_t bytes) const noexcept;

  std::byte* memory_ = nullptr;  // followed by the mirror, reserved_bytes_ each
  uint64_t reserved_bytes_ = 0;
  std::atomic<uint64_t> size_{0};
};

}  // namespace perseid
