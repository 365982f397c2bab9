// plugin/record/intern.cpp: a hash table in front of the strings file.
#include "plugin/record/intern.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "capture/checksum.h"

namespace perseid {

namespace {

uint64_t load_word(const char* at) noexcept {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// A text of 1 to 7 bytes as one word: different for different texts of the same length, and
/// without a call to memcpy with a length that only the run knows.
uint64_t load_short(const char* text, size_t length) noexcept {
  if (length >= 4) {
    uint32_t first, last;
    std::memcpy(&first, text, sizeof first);
    std::memcpy(&last, text + length - sizeof last, sizeof last);
    return uint64_t{last} << 32 | first;
  }
  const auto byte = [text](size_t i) { return uint64_t{static_cast<uint8_t>(text[i])}; };
  return byte(0) | byte(length / 2) << 8 | byte(length - 1) << 16;
}

/// Longer texts go word by word, and the last word may overlap the one before it.
uint64_t hash_of(const char* text, size_t length) noexcept {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = length * kOdd;
  if (length < 8) {
    hash = (hash ^ load_short(text, length)) * kOdd;
    return hash ^ hash >> 32;
  }
  for (size_t at = 0; at + 8 < length; at += 8) {
    hash = (hash ^ load_word(text + at)) * kOdd;
    hash ^= hash >> 29;
  }
  hash = (hash ^ load_word(text + length - 8)) * kOdd;
  return hash ^ hash >> 32;
}

bool equal(const char* left, const char* right, size_t length) noexcept {
  if (length < 8) return load_short(left, length) == load_short(right, length);
  for (size_t at = 0; at + 8 < length; at += 8)
    if (load_word(left + at) != load_word(right + at)) return false;
  return load_word(left + length - 8) == load_word(right + length - 8);
}

}  // namespace

/// Where address space is limited (ulimit -v), most of it is left to the program.
uint64_t Names::affordable_bytes() noexcept {
  constexpr uint64_t kShare = 32;  // twice: the memory and its mirror
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kMaxReservedBytes;
  const uint64_t share = limit.rlim_cur / kShare / kStepBytes * kStepBytes;
  return std::clamp(share, 4 * kStepBytes, kMaxReservedBytes);
}

bool Names::open(OwnDirectory& directory, uint64_t session, StateFile& counters,
                 Grower ask_to_grow) noexcept {
  directory_ = &directory;
  counters_ = &counters;
  ask_to_grow_ = ask_to_grow;
  void* slots = mmap(nullptr, kSlots * sizeof *slots_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (slots == MAP_FAILED) return false;
  slots_ = static_cast<std::atomic<uint32_t>*>(slots);
  if (!memory_.reserve(affordable_bytes())) return false;
  const int fd = directory.open_file(kStringsFile, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  ::close(fd);
  if (!grow(kStepBytes)) return false;
  new (memory_.data())
      StringsHeader{kStringsMagic, kFormatVersion, 0, session, sizeof(StringsHeader), {}};
  memory_.mirror(header(), sizeof(StringsHeader));
  return true;
}

void Names::close() noexcept {
  memory_.release();
  if (slots_) munmap(static_cast<void*>(slots_), kSlots * sizeof *slots_);
  slots_ = nullptr;
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
  const std::byte* at = memory_.data() + uint64_t{id} * 8;
  std::memcpy(&entry, at, sizeof entry);
  return entry.length == length &&
         equal(reinterpret_cast<const char*>(at + sizeof entry), text, length);
}

uint32_t Names::store(const char* text, size_t length) noexcept {
  const uint64_t bytes = (sizeof(StringEntry) + length + 7) / 8 * 8;
  if (is_full_.load(std::memory_order_relaxed) ||
      count_.fetch_add(1, std::memory_order_relaxed) >= kMaxNames)
    return refuse();
  const uint64_t at = header()->used.fetch_add(bytes, std::memory_order_relaxed);
  if (!has(at + bytes) && !ask_to_grow_(at + bytes)) return refuse();
  const StringEntry entry{static_cast<uint32_t>(length), checksum(text, length)};
  std::byte* const place = memory_.data() + at;
  std::memcpy(place + sizeof entry, text, length);
  std::memcpy(place, &entry, sizeof entry);
  // Before anybody can write a record with this id: after kill -9 each record has its names.
  memory_.mirror(place, bytes);
  memory_.mirror(header()->used);
  return static_cast<uint32_t>(at / 8);
}

uint32_t Names::refuse() noexcept {
  is_full_.store(true, std::memory_order_relaxed);
  counters_->count(&StateHeader::names_lost);
  return 0;
}

void Names::want(uint64_t bytes) noexcept {
  uint64_t seen = wanted_.load(std::memory_order_relaxed);
  while (seen < bytes && !wanted_.compare_exchange_weak(seen, bytes, std::memory_order_seq_cst)) {
  }
}

bool Names::grow_ahead() noexcept {
  const uint64_t used = header()->used.load(std::memory_order_relaxed);
  const uint64_t needed =
      std::min(memory_.reserved_bytes(),
               std::max(wanted_.load(std::memory_order_seq_cst), used + kStepBytes / 2));
  if (has(needed) || is_full()) return false;
  if (!grow(needed) && !has(used)) is_full_.store(true, std::memory_order_relaxed);
  return true;
}

bool Names::grow(uint64_t needed) noexcept {
  if (needed > memory_.reserved_bytes()) return false;
  while (!has(needed)) {
    const int fd = directory_->open_file(kStringsFile, O_RDWR);
    const bool is_done = fd >= 0 && memory_.extend(fd, kStepBytes);
    const int error = errno;
    if (fd >= 0) ::close(fd);
    errno = error;
    if (!is_done) return false;
  }
  return true;
}

}  // namespace perseid
