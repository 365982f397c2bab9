// capture/file.cpp: reading at offsets, whatever the kernel answers.
#include "capture/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace perseid {

/// O_NONBLOCK: a capture may hold anything, and opening a FIFO must not wait for a writer.
File::File(const std::string& path)
    : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

File::~File() {
  if (fd_ >= 0) ::close(fd_);
}

uint64_t File::size() const noexcept {
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  return static_cast<uint64_t>(status.st_size);
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
