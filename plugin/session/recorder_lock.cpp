// plugin/session/recorder_lock.cpp: a lock on the state file that the kernel releases at the end of
// the process.
#include "plugin/session/recorder_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/session/descriptor.h"

namespace perseid {

void RecorderLock::hold(const char* state_path) noexcept {
  const int fd = open_quietly(state_path, O_RDWR | O_NOFOLLOW);
  if (fd < 0) return;
  struct stat facts;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fstat(fd, &facts) != 0 || fcntl(fd, F_SETLK, &lock) != 0) {
    close(fd);
    return;
  }
  device_ = facts.st_dev;
  inode_ = facts.st_ino;
  fd_ = fd;
}

/// The host may have closed our descriptor and opened something of its own under its number.
bool RecorderLock::has_own_file() const noexcept {
  struct stat facts;
  return fd_ >= 0 && fstat(fd_, &facts) == 0 && facts.st_ino == inode_ && facts.st_dev == device_;
}

void RecorderLock::forget_in_child() const noexcept {
  if (has_own_file()) close(fd_);
}

void RecorderLock::release() noexcept {
  if (has_own_file()) close(fd_);
  fd_ = -1;
}

}  // namespace perseid
