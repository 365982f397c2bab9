// plugin/intern.cpp: see intern.h.
#include "plugin/intern.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "capture/checksum.h"
#include "plugin/descriptor.h"
#include "plugin/fixed_text.h"
#include "plugin/host_guard.h"

namespace perseid {

namespace {

uint64_t hash_of(const char* text, size_t length) noexcept {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = length * kOdd;
  for (; length >= 8; text += 8, length -= 8) {
    uint64_t word;
    std::memcpy(&word, text, 8);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 29;
  }
  uint64_t rest = 0;
  std::memcpy(&rest, text, length);
  hash = (hash ^ rest) * kOdd;
  return hash ^ hash >> 32;
}

}  // namespace

bool Names::open(const char* path, uint64_t session, std::atomic<uint64_t>* lost) noexcept {
  FixedText<PATH_MAX> kept;
  kept << path;
  std::memcpy(path_, kept.c_str(), kept.size() + 1);
  lost_ = lost;
  void* slots = mmap(nullptr, kSlots * sizeof *slots_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slots == MAP_FAILED) return false;
  slots_ = static_cast<std::atomic<uint32_t>*>(slots);
  void* range =
      mmap(nullptr, kReservedBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(range);
  const int fd = open_quietly(path, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  close(fd);
  if (!grow(kStepBytes)) return false;
  new (base_) StringsHeader{kStringsMagic, kFormatVersion, 0, session, sizeof(StringsHeader), {}};
  return true;
}

uint32_t Names::intern(const char* text, size_t length) noexcept {
  if (length == 0) return 0;
  length = std::min<size_t>(length, kMaxStringBytes);
  uint32_t stored = 0;
  for (uint64_t slot = hash_of(text, length);; ++slot) {
    std::atomic<uint32_t>& place = slots_[slot % kSlots];
    uint32_t id = place.load(std::memory_order_acquire);
    if (id == 0) {
      if (stored == 0) stored = store(text, length);
      if (stored == 0) return 0;
      if (place.compare_exchange_strong(id, stored, std::memory_order_acq_rel)) return stored;
    }
    if (is_same(id, text, length)) return id;
  }
}

bool Names::is_same(uint32_t id, const char* text, size_t length) const noexcept {
  StringEntry entry;
  const std::byte* at = base_ + uint64_t{id} * 8;
  std::memcpy(&entry, at, sizeof entry);
  return entry.length == length && std::memcmp(at + sizeof entry, text, length) == 0;
}

uint32_t Names::store(const char* text, size_t length) noexcept {
  const uint64_t bytes = (sizeof(StringEntry) + length + 7) / 8 * 8;
  if (is_full_.load(std::memory_order_relaxed) ||
      count_.fetch_add(1, std::memory_order_relaxed) >= kMaxNames) {
    is_full_.store(true, std::memory_order_relaxed);
    lost_->fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const uint64_t at = header()->used.fetch_add(bytes, std::memory_order_relaxed);
  if (at + bytes > mapped_.load(std::memory_order_acquire) && !grow(at + bytes)) {
    is_full_.store(true, std::memory_order_relaxed);
    lost_->fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  const StringEntry entry{static_cast<uint32_t>(length), checksum(text, length)};
  std::memcpy(base_ + at + sizeof entry, text, length);
  std::memcpy(base_ + at, &entry, sizeof entry);
  return static_cast<uint32_t>(at / 8);
}

bool Names::grow(uint64_t needed) noexcept {
  const SystemCallGuard guard;
  const WriteGuard writes;
  if (needed > kReservedBytes) return false;
  while (mapped_.load(std::memory_order_acquire) < needed) {
    if (is_growing_.exchange(true, std::memory_order_acquire)) {
      sched_yield();  // the other thread is inside one fallocate
      continue;
    }
    const uint64_t from = mapped_.load(std::memory_order_relaxed);
    bool is_done = from >= needed;
    if (!is_done) {
      // Opened anew by name: the host may have closed every descriptor it did not know.
      const int fd = open_quietly(path_, O_RDWR);
      is_done = fd >= 0 && posix_fallocate(fd, static_cast<off_t>(from), kStepBytes) == 0 &&
                mmap(base_ + from, kStepBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                     static_cast<off_t>(from)) != MAP_FAILED;
      if (fd >= 0) close(fd);
      if (is_done) {
        madvise(base_ + from, kStepBytes, MADV_DONTFORK);
        mapped_.store(from + kStepBytes, std::memory_order_release);
      }
    }
    is_growing_.store(false, std::memory_order_release);
    if (!is_done) return false;
  }
  return true;
}

}  // namespace perseid
