// plugin/record/ring.cpp: the slow parts of a ring: creation, losses, end of a thread.
#include "plugin/record/ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "capture/checksum.h"

namespace perseid {

namespace {

uint64_t round_up(uint64_t value, uint64_t step) noexcept {
  return (value + step - 1) / step * step;
}

/// Touches every page now, so that no record pays for a page fault.
void populate(std::byte* at, size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0) return;
#endif
  for (size_t i = 0; i < bytes; i += 4096) *const_cast<volatile std::byte*>(at + i) = std::byte{0};
}

}  // namespace

bool Ring::extend(size_t bytes) noexcept {
  const uint64_t end = head_ + bytes;
  uint64_t limit = round_up(end, block_);
  const uint64_t tail = shared_->tail.load(std::memory_order_acquire);
  if (overwrites_) {
    if (limit > tail + capacity_) {
      const uint64_t oldest_block = (limit - capacity_) / block_;
      shared_->tail.store(
          shared_->block_start[oldest_block % kRingBlocks].load(std::memory_order_relaxed),
          std::memory_order_relaxed);
      // A reader that copies the old bytes looks at the tail again afterwards.
      std::atomic_thread_fence(std::memory_order_release);
    }
  } else {
    if (end > tail + capacity_) return false;
    limit = std::min(limit, tail + capacity_);
  }
  for (uint64_t start = round_up(head_, block_); start < end; start += block_)
    shared_->block_start[start / block_ % kRingBlocks].store(start == head_ ? head_ : end,
                                                             std::memory_order_relaxed);
  limit_ = limit;
  return true;
}

void Ring::begin_or_widen_gap(uint64_t lost_records) noexcept {
  if (!has_gap_) {
    has_gap_ = true;
    gap_ticks_.store(read_ticks(), std::memory_order_relaxed);
    gap_depth_.store(depth(), std::memory_order_relaxed);
  }
  if (lost_records) shared_->lost.fetch_add(lost_records, std::memory_order_relaxed);
  limit_ = 0;  // the next record must take the slow path, which closes the gap first
}

void Ring::close_gap() noexcept {
  const LossRecord record = loss_record();
  std::memcpy(data_ + (head_ & (capacity_ - 1)), &record, sizeof record);
  commit(sizeof record);
  has_gap_ = false;
  reported_.fetch_add(record.lost, std::memory_order_relaxed);
}

Ring::LossRecord Ring::loss_record() const noexcept {
  return {{read_ticks(), depth(), core::kind(core::kLost), 3, 0},
          unreported_loss(),
          gap_ticks_.load(std::memory_order_relaxed),
          gap_depth_.load(std::memory_order_relaxed)};
}

void Ring::set_name(uint32_t name, bool is_from_program) noexcept {
  if (is_named_by_program_ && !is_from_program) return;
  is_named_by_program_ = is_from_program;
  std::atomic_ref(shared_->info.name).store(name, std::memory_order_relaxed);
}

StreamInfo Ring::info_now() const noexcept {
  const StreamInfo& info = shared_->info;
  return {info.stream, info.tid,
          std::atomic_ref(shared_->info.name).load(std::memory_order_relaxed), info.bound_cpu};
}

Ring::Span Ring::readable(uint64_t max_bytes) const noexcept {
  const uint64_t head = this->head();
  const uint64_t from = tail();
  if (head - from <= max_bytes) return {from, head};
  for (uint64_t block = (from + max_bytes) / block_; block * block_ > from; --block) {
    const uint64_t start =
        shared_->block_start[block % kRingBlocks].load(std::memory_order_relaxed);
    if (start > from && start <= from + max_bytes) return {from, start};
  }
  // Blocks longer than max_bytes: walk the records.
  uint64_t to = from;
  for (;;) {
    RecordHeader header;
    std::memcpy(&header, at(to), sizeof header);
    const uint64_t next = to + sizeof header + 8u * header.words;
    if (to != from && next - from > max_bytes) return {from, to};
    to = next;
  }
}

int Ring::create(OwnDirectory& directory, const char* name, uint64_t capacity, uint64_t session,
                 OnFull on_full) noexcept {
  const size_t file_bytes = kRingHeaderBytes + capacity;
  const int fd = directory.open_file(name, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return errno;
  int error = posix_fallocate(fd, 0, static_cast<off_t>(file_bytes));
  std::byte* base = nullptr;
  if (error == 0) {
    // One reservation first, so that the two mappings are neighbours.
    void* range =
        mmap(nullptr, file_bytes + capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED) {
      error = errno;
    } else {
      base = static_cast<std::byte*>(range);
      constexpr int kAccess = PROT_READ | PROT_WRITE;
      constexpr int kFlags = MAP_SHARED | MAP_FIXED;
      if (mmap(base, file_bytes, kAccess, kFlags, fd, 0) == MAP_FAILED ||
          mmap(base + file_bytes, capacity, kAccess, kFlags, fd, kRingHeaderBytes) == MAP_FAILED) {
        error = errno;
        munmap(base, file_bytes + capacity);
      }
    }
  }
  close(fd);
  if (error) {
    directory.remove_file(name);
    return error;
  }
  madvise(base, file_bytes + capacity, MADV_DONTFORK);
  madvise(base, file_bytes + capacity, MADV_DONTDUMP);
  populate(base, file_bytes);

  shared_ = new (base) RingHeader{};
  data_ = base + kRingHeaderBytes;
  capacity_ = capacity;
  block_ = capacity / kRingBlocks;
  overwrites_ = on_full == OnFull::kOverwrite;
  shared_->version = kFormatVersion;
  shared_->on_full = on_full;
  shared_->session = session;
  shared_->capacity = capacity;
  seal_header();
  return 0;
}

void Ring::assign(const StreamInfo& info) noexcept {
  set_magic(0);
  shared_->info = info;
  shared_->base = head_;
  shared_->lost.store(0, std::memory_order_relaxed);
  store_role(StreamRole::kPlain);
  seal_header();
  limit_ = 0;
  depth_.store(0, std::memory_order_relaxed);
  gap_depth_.store(0, std::memory_order_relaxed);
  reported_.store(0, std::memory_order_relaxed);
  slices_ = 0;
  cpu_ns = 0;
  want_cpu_time(false);
  has_gap_ = false;
  is_named_by_program_ = false;
}

void Ring::give_up() noexcept {
  set_magic(0);
  shared_->info = {};
  shared_->base = head_;
  seal_header();
  release(head_);
}

void Ring::seal_header() noexcept {
  // The name may change under a running thread, so the checksum takes it as 0.
  RingHeader copy{};
  std::memcpy(static_cast<void*>(&copy), shared_, offsetof(RingHeader, checksum));
  copy.info.name = 0;
  copy.magic = kRingMagic;
  shared_->checksum = checksum(&copy, offsetof(RingHeader, checksum));
  set_magic(kRingMagic);
}

void Ring::set_magic(uint64_t magic) noexcept {
  std::atomic_ref(shared_->magic).store(magic, std::memory_order_seq_cst);
}

void Ring::unmap() noexcept {
  if (!shared_) return;
  munmap(static_cast<void*>(shared_), kRingHeaderBytes + 2 * capacity_);
  shared_ = nullptr;
}

}  // namespace perseid
