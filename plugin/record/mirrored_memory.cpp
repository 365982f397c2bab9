// plugin/record/mirrored_memory.cpp: process_vm_readv writes to the file without risking SIGBUS.
#include "plugin/record/mirrored_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace perseid {

namespace {

/// Reads from this process into this process. Not process_vm_writev: that would change the file's
/// page without asking its file system, which ext4 before Linux 5.18 answers with an oops. Not
/// glibc's function: sanitizers stand in for it and take the copy for an access of this thread.
/// The thread's own id, not that of the process, whose first thread may have ended.
/// 0 or an errno; EFAULT if the file has no room for all bytes.
int copy_by_kernel(void* to, const void* from, size_t bytes) noexcept {
  const iovec local{to, bytes};
  const iovec remote{const_cast<void*>(from), bytes};
  const int kept = errno;
  const long copied =
      syscall(SYS_process_vm_readv, syscall(SYS_gettid), &local, 1ul, &remote, 1ul, 0ul);
  const int error = copied < 0 ? errno : copied == static_cast<long>(bytes) ? 0 : EFAULT;
  errno = kept;
  return error;
}

}  // namespace

bool MirroredMemory::reserve(uint64_t bytes) noexcept {
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  bytes = (bytes + page - 1) / page * page;
  void* range =
      mmap(nullptr, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return false;
  madvise(range, 2 * bytes, MADV_DONTFORK);
  madvise(range, 2 * bytes, MADV_DONTDUMP);
  memory_ = static_cast<std::byte*>(range);
  reserved_bytes_ = bytes;
  return true;
}

bool MirroredMemory::extend(int fd, uint64_t bytes) noexcept {
  const uint64_t from = size_.load(std::memory_order_relaxed);
  const auto offset = static_cast<off_t>(from);
  std::byte* const mirror = memory_ + reserved_bytes_ + from;
  // Holes in the file would stay empty on a full file system, though there seemed to be room.
  if (const int error = posix_fallocate(fd, offset, static_cast<off_t>(bytes)); error != 0) {
    errno = error;
    return false;
  }
  if (mprotect(memory_ + from, bytes, PROT_READ | PROT_WRITE) != 0 ||
      mmap(mirror, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) == MAP_FAILED)
    return false;
  madvise(mirror, bytes, MADV_DONTFORK);
  madvise(mirror, bytes, MADV_DONTDUMP);
  size_.store(from + bytes, std::memory_order_release);
  return true;
}

void MirroredMemory::release() noexcept {
  if (memory_) munmap(memory_, 2 * reserved_bytes_);
  memory_ = nullptr;
  size_.store(0);
}

void MirroredMemory::copy(const void* place, const void* value, size_t bytes) const noexcept {
  std::byte* const to =
      memory_ + reserved_bytes_ + (static_cast<const std::byte*>(place) - memory_);
  const int error = copy_by_kernel(to, value, bytes);
  // Some containers and sandboxes refuse the system call, and may begin to do so during the run.
  if (error != 0 && error != EFAULT) std::memcpy(to, value, bytes);
}

}  // namespace perseid
