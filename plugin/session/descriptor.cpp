// plugin/session/descriptor.cpp: opens, reads and writes by our own rules.
#include "plugin/session/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace perseid {

namespace {
constexpr int kLowestDescriptor = 100;
}

int open_quietly(const char* path, int flags) noexcept {
  return open_quietly_at(AT_FDCWD, path, flags);
}

int open_quietly_at(int directory, const char* name, int flags) noexcept {
  int fd;
  do fd = openat(directory, name, flags | O_CLOEXEC, 0600);
  while (fd < 0 && errno == EINTR);
  if (fd < 0 || fd >= kLowestDescriptor) return fd;
  const int moved = fcntl(fd, F_DUPFD_CLOEXEC, kLowestDescriptor);
  if (moved < 0) return fd;
  close(fd);
  return moved;
}

bool write_fully(int fd, const void* data, size_t bytes) noexcept {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = write(fd, at, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    at += written;
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

bool make_directories(const char* path) noexcept {
  char buffer[PATH_MAX];
  const size_t length = std::strlen(path);
  if (length == 0 || length >= sizeof buffer) {
    errno = length ? ENAMETOOLONG : ENOENT;
    return false;
  }
  std::memcpy(buffer, path, length + 1);
  for (size_t i = 1; i <= length; ++i) {
    if (buffer[i] != '/' && buffer[i] != '\0') continue;
    const char kept = buffer[i];
    buffer[i] = '\0';
    struct stat facts;
    // Check first: mkdir on an existing read-only parent may return EROFS, not EEXIST.
    if (stat(buffer, &facts) != 0 && mkdir(buffer, 0700) != 0 && errno != EEXIST) return false;
    buffer[i] = kept;
  }
  return true;
}

long read_small_file(const char* path, char* buffer, size_t room) noexcept {
  const int fd = open_quietly(path, O_RDONLY);
  if (fd < 0) return -1;
  size_t used = 0;
  while (used + 1 < room) {
    const ssize_t got = read(fd, buffer + used, room - 1 - used);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += static_cast<size_t>(got);
  }
  close(fd);
  buffer[used] = '\0';
  return static_cast<long>(used);
}

}  // namespace perseid
