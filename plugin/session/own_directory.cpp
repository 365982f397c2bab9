// plugin/session/own_directory.cpp: files are created and removed relative to its descriptor.
#include "plugin/session/own_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "plugin/session/descriptor.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {

bool OwnDirectory::make(const char* path) noexcept { return mkdir(path, 0700) == 0 && open(path); }

bool OwnDirectory::open(const char* path) noexcept {
  const int fd = open_quietly(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd < 0) return false;
  struct stat facts;
  if (fstat(fd, &facts) != 0 || facts.st_uid != geteuid()) {
    ::close(fd);
    errno = EACCES;  // another directory is in its place
    return false;
  }
  fd_ = fd;
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  TextBuffer(path_).add(path);
  return true;
}

void OwnDirectory::close() noexcept {
  if (is_held()) ::close(fd_);
  fd_ = -1;
  inode_ = 0;
}

bool OwnDirectory::is_held() const noexcept {
  struct stat facts;
  return fd_ >= 0 && fstat(fd_, &facts) == 0 && facts.st_ino == inode_ && facts.st_dev == device_;
}

/// Where the kernel gave us no table of our own, the host may have closed the descriptor: then the
/// name leads back, if it still leads to the same directory.
int OwnDirectory::descriptor() noexcept {
  if (is_held()) return fd_;
  const uint64_t device = device_, inode = inode_;
  OwnDirectory again;
  if (!again.open(path_)) return -1;
  if (again.device_ != device || again.inode_ != inode) {
    again.close();
    errno = ENOENT;
    return -1;
  }
  return fd_ = again.fd_;
}

int OwnDirectory::open_file(const char* name, int flags) noexcept {
  const int directory = descriptor();
  return directory < 0 ? -1 : open_quietly_at(directory, name, flags | O_NOFOLLOW);
}

void OwnDirectory::remove_file(const char* name) noexcept {
  const int directory = descriptor();
  if (directory >= 0) unlinkat(directory, name, 0);
}

bool OwnDirectory::remove() noexcept { return is_in_place() && rmdir(path_) == 0; }

bool OwnDirectory::is_in_place() const noexcept {
  struct stat facts;
  return lstat(path_, &facts) == 0 && facts.st_ino == inode_ && facts.st_dev == device_;
}

}  // namespace perseid
