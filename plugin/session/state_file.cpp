// plugin/session/state_file.cpp: a mapped header; anchors are thinned out when their table is full.
#include "plugin/session/state_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "plugin/record/clock.h"

namespace perseid {

bool StateFile::open(OwnDirectory& directory, uint64_t session, uint32_t pid) noexcept {
  const int fd = directory.open_file(kStateFile, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  const bool is_open = memory_.reserve(kStateBytes) && memory_.extend(fd, kStateBytes);
  const int error = errno;
  ::close(fd);
  if (!is_open) {
    close();
    directory.remove_file(kStateFile);
    errno = error;
    return false;
  }
  header_ = new (memory_.data()) StateHeader{};
  header_->magic = kStateMagic;
  header_->version = kFormatVersion;
  header_->pid = pid;
  header_->session = session;
  anchors_ = reinterpret_cast<ClockAnchor*>(memory_.data() + kStateAnchorsAt);
  memory_.mirror(header_, sizeof *header_);
  return true;
}

void StateFile::close() noexcept {
  memory_.release();
  header_ = nullptr;
}

void StateFile::mirror_counts() noexcept {
  const uint64_t counts =
      header_->lost_without_ring.load() + header_->nested.load() + header_->names_lost.load();
  if (counts == mirrored_counts_) return;
  mirrored_counts_ = counts;
  memory_.mirror(header_->lost_without_ring);
  memory_.mirror(header_->nested);
  memory_.mirror(header_->names_lost);
}

void StateFile::set_sync(uint32_t index, const ClockSync& sync) noexcept {
  header_->syncs[index] = sync;
  memory_.mirror(&header_->syncs[index], sizeof sync);
}

void StateFile::anchor(bool is_forced) noexcept {
  if (is_forced || read_clock_ns(CLOCK_MONOTONIC) - last_ns_ >= interval_ns_) add(take_anchor());
}

void StateFile::add(const ClockAnchor& anchor) noexcept {
  uint32_t count = header_->anchors.load(std::memory_order_relaxed);
  if (count == kMaxAnchors) {
    for (uint32_t i = 1; i < count / 2; ++i) anchors_[i] = anchors_[2 * i];
    count /= 2;
    memory_.mirror(anchors_, count * sizeof *anchors_);
    interval_ns_ *= 2;
  }
  anchors_[count] = anchor;
  memory_.mirror(&anchors_[count], sizeof anchor);
  last_ns_ = read_clock_ns(CLOCK_MONOTONIC);
  set(&StateHeader::anchors, count + 1);
}

}  // namespace perseid
