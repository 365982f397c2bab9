// plugin/state_file.cpp: see state_file.h.
#include "plugin/state_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "plugin/clock.h"

namespace perseid {

namespace {

/// Null and errno on failure; then the file is gone again.
void* map_new_file(OwnDirectory& directory, const char* name, size_t bytes) noexcept {
  const int fd = directory.open_file(name, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return nullptr;
  // A sparse file on a full file system would end the host with SIGBUS at the first store.
  int error = posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  void* at = MAP_FAILED;
  if (error == 0) {
    at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) error = errno;
  }
  ::close(fd);
  if (at == MAP_FAILED) {
    directory.remove_file(name);
    errno = error;
    return nullptr;
  }
  madvise(at, bytes, MADV_DONTFORK);
  madvise(at, bytes, MADV_DONTDUMP);
  return at;
}

}  // namespace

bool StateFile::open(OwnDirectory& directory, uint64_t session, uint32_t pid) noexcept {
  void* at = map_new_file(directory, kStateFile, kStateBytes);
  if (!at) return false;
  header_ = new (at) StateHeader{};
  header_->magic = kStateMagic;
  header_->version = kFormatVersion;
  header_->pid = pid;
  header_->session = session;
  anchors_ = reinterpret_cast<ClockAnchor*>(static_cast<std::byte*>(at) + kStateAnchorsAt);
  return true;
}

void StateFile::close() noexcept {
  if (header_) munmap(static_cast<void*>(header_), kStateBytes);
  header_ = nullptr;
}

void StateFile::anchor(bool is_forced) noexcept {
  if (is_forced || read_clock_ns(CLOCK_MONOTONIC) - last_ns_ >= interval_ns_) add(take_anchor());
}

void StateFile::add(const ClockAnchor& anchor) noexcept {
  uint32_t count = header_->anchors.load(std::memory_order_relaxed);
  if (count == kMaxAnchors) {
    for (uint32_t i = 1; i < count / 2; ++i) anchors_[i] = anchors_[2 * i];
    count /= 2;
    interval_ns_ *= 2;
  }
  anchors_[count] = anchor;
  last_ns_ = read_clock_ns(CLOCK_MONOTONIC);
  header_->anchors.store(count + 1, std::memory_order_release);
}

}  // namespace perseid
