// capture/file.cpp: reading at offsets, whatever the kernel answers.
#include "capture/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace perseid {
namespace {

constexpr int kNotRegular = EMEDIUMTYPE;  // which no open() returns

}  // namespace

/// O_NONBLOCK: a path may name anything, and opening a FIFO must not wait for a writer. O_NOCTTY:
/// nor must a terminal become ours.
File::File(const std::string& path, Link link)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
                                   (link == Link::kRefused ? O_NOFOLLOW : 0))) {
  struct stat status {};
  if (fd_ < 0 || (::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode))) return;
  ::close(std::exchange(fd_, -1));
  errno = S_ISDIR(status.st_mode) ? EISDIR : kNotRegular;
}

std::string File::problem() {
  if (errno == ELOOP) return "it is a symbolic link";
  return errno == kNotRegular ? "it is not a regular file" : std::strerror(errno);
}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

uint64_t File::size() const noexcept {
  struct stat status {};
  return fd_ >= 0 && ::fstat(fd_, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

uint64_t File::next_data(uint64_t offset) const noexcept {
  const off_t found = ::lseek(fd_, static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<uint64_t>(found);
  return errno == ENXIO ? std::max(offset, size()) : offset;
}

size_t File::read_at(uint64_t offset, void* into, size_t bytes) const noexcept {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t got = ::pread(fd_, static_cast<char*>(into) + done, bytes - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

std::string File::read_text(size_t limit) const {
  std::string text(static_cast<size_t>(std::min<uint64_t>(size(), limit)), '\0');
  text.resize(read_at(0, text.data(), text.size()));
  return text;
}

}  // namespace perseid
