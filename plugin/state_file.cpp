// plugin/state_file.cpp: see state_file.h.
#include "plugin/state_file.h"

#include <sys/mman.h>

#include <new>

#include "plugin/clock.h"
#include "plugin/descriptor.h"

namespace perseid {

bool StateFile::open(const char* path, uint64_t session, uint32_t pid) noexcept {
  void* at = map_new_file(path, kStateBytes);
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
