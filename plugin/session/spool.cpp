// plugin/session/spool.cpp: writes chunks with writev and drops written pages from the cache.
#include "plugin/session/spool.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "capture/checksum.h"
#include "plugin/session/message.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {
constexpr uint64_t kWindowBytes = 8 * 1024 * 1024;
/// Threads that wait for room are not made to wait for the disk, too, unless that many bytes are
/// not on disk yet.
constexpr uint64_t kMaxBehindBytes = 8 * kWindowBytes;
constexpr int64_t kPauseAfterFailureNs = 200'000'000;
}  // namespace

bool Spool::open(OwnDirectory& directory, uint64_t session, StateFile& counters) noexcept {
  directory_ = &directory;
  session_ = session;
  counters_ = &counters;
  fd_ = directory.open_file(kSpoolFile, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
  if (fd_ < 0) return false;
  struct stat facts;
  fstat(fd_, &facts);
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  void* copy =
      mmap(nullptr, kMaxChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED) return false;
  copy_ = static_cast<std::byte*>(copy);
  return true;
}

bool Spool::empty(Ring& ring, uint64_t at_most) noexcept {
  if (is_closed_) return false;
  if (is_failing() && read_clock_ns(CLOCK_MONOTONIC) < retry_ns_) return false;
  for (uint64_t moved = 0; moved < at_most;) {
    const Ring::Span span = ring.readable(kMaxChunkBytes);
    if (span.from == span.to) return true;
    if (!append(ring, span)) return false;
    ring.release(span.to);
    moved += span.to - span.from;
  }
  return true;
}

bool Spool::empty_retired(Ring& ring) noexcept {
  if (!empty(ring, UINT64_MAX)) return false;
  if (ring.unreported_loss() == 0 || !ring.extend(Ring::kGapBytes)) return true;
  ring.close_gap();
  return empty(ring, UINT64_MAX);
}

bool Spool::empty_at_end(Ring& ring) noexcept {
  if (!empty(ring, UINT64_MAX)) return false;
  if (ring.unreported_loss() == 0) return true;
  const Ring::LossRecord record = ring.loss_record();
  return append_chunk(ring, ring.tail(), reinterpret_cast<const std::byte*>(&record),
                      sizeof record);
}

bool Spool::append(const Ring& ring, Ring::Span span) noexcept {
  const std::byte* payload = ring.at(span.from);
  if (ring.overwrites() && ring.state.load(std::memory_order_relaxed) == RingState::kOwned) {
    // The owner may be writing over the oldest records right now: copy, then see what of the
    // copy was still there when the copying ended.
    std::memcpy(copy_, payload, span.to - span.from);
    std::atomic_thread_fence(std::memory_order_acquire);
    const uint64_t tail = ring.tail();
    if (tail >= span.to) return true;
    payload = copy_ + (std::max(tail, span.from) - span.from);
    span.from = std::max(tail, span.from);
  }
  return append_chunk(ring, span.from, payload, span.to - span.from);
}

bool Spool::append_chunk(const Ring& ring, uint64_t position, const std::byte* payload,
                         uint64_t bytes) noexcept {
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.session = session_;
  header.info = ring.info_now();
  header.role = ring.role_now();
  header.base = ring.base();
  header.position = position;
  header.bytes = static_cast<uint32_t>(bytes);
  std::memcpy(&header.first_ticks, payload, sizeof header.first_ticks);
  header.anchor = take_anchor();
  header.payload_checksum = checksum(payload, header.bytes);
  header.header_checksum = checksum(&header, offsetof(ChunkHeader, header_checksum));
  return write_chunk(header, payload);
}

bool Spool::write_chunk(ChunkHeader& header, const std::byte* payload) noexcept {
  if (!has_own_file()) {
    fail(errno);
    return false;
  }
  const iovec parts[] = {{&header, sizeof header}, {const_cast<std::byte*>(payload), header.bytes}};
  const size_t wanted = sizeof header + header.bytes;
  ssize_t written;
  do written = writev(fd_, parts, 2);
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(wanted)) {
    counters_->add(&StateHeader::spooled_bytes, wanted);
    is_failing_.store(false, std::memory_order_relaxed);
    return true;
  }
  fail(written < 0 ? errno : ENOSPC);
  return false;
}

/// Where the kernel gave us no table of descriptors of our own, the host may have closed this one
/// and opened something of its own under its number.
bool Spool::has_own_file() noexcept {
  struct stat facts;
  const auto is_ours = [&](int fd) {
    return fd >= 0 && fstat(fd, &facts) == 0 && facts.st_ino == inode_ && facts.st_dev == device_;
  };
  if (is_ours(fd_)) return true;
  const int again = directory_->open_file(kSpoolFile, O_WRONLY | O_APPEND);
  if (again < 0) return false;
  fd_ = again;
  if (is_ours(fd_)) return true;
  ::close(fd_);
  fd_ = -1;
  errno = ENOENT;
  return false;
}

void Spool::fail(int error) noexcept {
  counters_->add(&StateHeader::spool_errors, 1);
  counters_->set(&StateHeader::last_errno, error);
  retry_ns_ = read_clock_ns(CLOCK_MONOTONIC) + kPauseAfterFailureNs;
  is_failing_.store(true, std::memory_order_relaxed);
  if (has_reported_) return;
  has_reported_ = true;
  Line line;
  line << "cannot write " << directory_->path() << '/' << kSpoolFile << ": ";
  line.append_error(error) << "; events are kept in memory and dropped when that is full; "
                              "set dir= to a directory with free space";
  warn(line.c_str());
}

void Spool::bound_page_cache(bool may_wait) noexcept {
  const uint64_t size = counters_->counters().spooled_bytes.load(std::memory_order_relaxed);
  for (; size - written_back_ >= kWindowBytes && has_own_file(); written_back_ += kWindowBytes)
    sync_file_range(fd_, static_cast<off64_t>(written_back_), kWindowBytes, SYNC_FILE_RANGE_WRITE);
  // The window that was started last is still on its way.
  while (dropped_ + kWindowBytes < written_back_ && has_own_file()) {
    if (!may_wait && written_back_ - dropped_ < kMaxBehindBytes) return;
    const auto from = static_cast<off64_t>(dropped_);
    sync_file_range(
        fd_, from, kWindowBytes,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    posix_fadvise(fd_, from, kWindowBytes, POSIX_FADV_DONTNEED);
    dropped_ += kWindowBytes;
  }
}

void Spool::close_file() noexcept {
  is_closed_ = true;
  is_failing_.store(true, std::memory_order_relaxed);
  if (fd_ >= 0 && has_own_file()) ::close(fd_);
  fd_ = -1;
}

void Spool::close() noexcept {
  close_file();
  if (copy_) munmap(copy_, kMaxChunkBytes);
  copy_ = nullptr;
}

}  // namespace perseid
