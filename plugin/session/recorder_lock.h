// plugin/session/recorder_lock.h: the sign that a capture's recorder lives; capture/recorder_life.h
// reads it.
//
// A POSIX lock (F_SETLK): it belongs to the process and not to the descriptor, so that forked
// children do not hold it, and other machines see it over NFS. Closing any descriptor of the
// state file in this process drops it: nothing opens that file again before the end is written.
#pragma once

#include <sys/types.h>

namespace perseid {

class RecorderLock {
 public:
  /// Locks the file of that name until the process ends. Where there are no locks, nothing
  /// happens: readers then take the recorder for alive until its end is written.
  void hold(const char* state_path) noexcept;

  /// Closes the descriptor that a forked child has inherited. The parent's lock stays.
  void forget_in_child() const noexcept;

  /// Gives the lock back, for a session that could not be opened.
  void release() noexcept;

 private:
  bool has_own_file() const noexcept;

  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace perseid
