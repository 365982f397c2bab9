// plugin/session/own_descriptors.cpp: CLOSE_RANGE_UNSHARE where the kernel has it, otherwise one by
// one.
#include "plugin/session/own_descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "plugin/record/host_guard.h"
#include "plugin/record/race_detector.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
constexpr unsigned kCloseRangeUnshare = 2;  // CLOSE_RANGE_UNSHARE, Linux 5.9

#if defined(__SANITIZE_ADDRESS__)
#define PERSEID_KEEPS_STDERR
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERSEID_KEEPS_STDERR
#endif
#endif
#ifdef PERSEID_KEEPS_STDERR
constexpr unsigned kFirstClosed = 3;  // a sanitizer reports from any thread
#else
constexpr unsigned kFirstClosed = 0;
#endif

/// Before Linux 5.9: one by one, as the kernel lists them.
void close_inherited() noexcept {
  FixedText<64> path;
  path << "/proc/self/task/" << static_cast<uint64_t>(syscall(SYS_gettid)) << "/fd";
  const int list = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (list < 0) return;
  alignas(8) char entries[4096];
  for (;;) {
    const long bytes = syscall(SYS_getdents64, list, entries, sizeof entries);
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      // struct linux_dirent64: two words, the entry's length, its type, its name.
      uint16_t length;
      std::memcpy(&length, entries + at + 16, sizeof length);
      const char* const name = entries + at + 19;
      const int fd = std::atoi(name);
      if (name[0] != '.' && fd != list && fd >= static_cast<int>(kFirstClosed)) close(fd);
      at += length;
    }
  }
  close(list);
}

/// Numbers 0 to 2 lead nowhere: what is opened later must not be taken for stderr.
void fill_low_numbers() noexcept {
  int fd;
  do fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  while (fd >= 0 && fd < 2);
  if (fd > 2) close(fd);
}

/// A descriptor of this thread for what descriptor 2 of the host stands for, or -1.
int borrow_stderr() noexcept {
  const long process = syscall(SYS_pidfd_open, getpid(), 0);
  if (process >= 0) {
    const long fd = syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0);
    close(static_cast<int>(process));
    if (fd >= 0) return static_cast<int>(fd);
  }
  // An older kernel, a filter of system calls, or a main thread that has left. Opened anew: right
  // for files (at their end), pipes and terminals, impossible for sockets.
  FixedText<64> path;
  path << "/proc/self/task/" << static_cast<uint64_t>(g_attendant.load()) << "/fd/2";
  return open(path.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

bool take_own_descriptors() noexcept {
#ifdef PERSEID_IS_WATCHED
  // A race detector takes equal numbers for the same descriptor, in all threads.
  return false;
#endif
  if (syscall(SYS_close_range, kFirstClosed, ~0u, kCloseRangeUnshare) != 0) {
    if (unshare(CLONE_FILES) != 0) return false;
    close_inherited();
  }
  fill_low_numbers();
  t_word.has_own_descriptors = true;
  return true;
}

HostStderr::HostStderr() noexcept : fd_(STDERR_FILENO) {
  if (!t_word.has_own_descriptors) return;
  fd_ = borrow_stderr();
  is_borrowed_ = true;
}

HostStderr::~HostStderr() {
  if (is_borrowed_ && fd_ >= 0) close(fd_);
}

}  // namespace perseid
