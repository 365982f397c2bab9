// plugin/session/own_descriptors.h: descriptors that the host cannot close and cannot confuse with
// its own.
//
// A process has one table of descriptors, and a host may close every number in it, or put a file of
// its own under a number that was ours: no check before a write is fast enough. A thread can leave
// that table. The drainer does, opens all files of the session in a table of its own, and is the
// only thread that reads or writes any of them.
#pragma once

#include <sys/types.h>

#include <atomic>

namespace perseid {

/// Gives the calling thread a table of its own, in which 0 to 2 lead nowhere. It keeps no file of
/// the host open. False if the kernel refuses; then the thread still shares the host's table.
bool take_own_descriptors() noexcept;

/// A thread that shares the host's table as long as the session lives; 0 when it has left.
inline constinit std::atomic<pid_t> g_attendant{0};

/// The host's standard error as the calling thread can write to it, for the length of a message.
class HostStderr {
 public:
  HostStderr() noexcept;
  ~HostStderr();
  HostStderr(const HostStderr&) = delete;
  HostStderr& operator=(const HostStderr&) = delete;
  /// -1: the host has none.
  int descriptor() const noexcept { return fd_; }

 private:
  int fd_;
  bool is_borrowed_ = false;
};

}  // namespace perseid
