// plugin/record/host_guard.h: what keeps our work invisible to the thread that does it.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "plugin/record/race_detector.h"

namespace perseid {

/// One word for each thread: two variables of their own would be padded, and all libraries that a
/// program loads late share 1664 bytes of thread-local memory.
struct ThreadWord {
  /// Not zero while this thread is inside Perseid. A hook reached from our own work (a signal, our
  /// write, our malloc) sees it and returns.
  uint32_t inside = 0;
  /// How deep the thread is in functions that call each other and count as one event.
  uint16_t nesting = 0;
  /// The thread is in a StarPU-MPI call. Separate from `nesting`, because StarPU-MPI runs user
  /// callbacks inside.
  bool is_in_message = false;
  /// The thread has left the host's table of descriptors (own_descriptors.h).
  bool has_own_descriptors = false;
};
/// initial-exec: never allocates, even when first used.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local ThreadWord t_word{};

/// Around the few instructions that write one record. Costs two stores.
class InsideGuard {
 public:
  InsideGuard() noexcept : entered_(t_word.inside == 0) {
    t_word.inside = 1;
    // A signal handler on this thread must see the flag before the ring changes.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~InsideGuard() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (entered_) t_word.inside = 0;
  }
  InsideGuard(const InsideGuard&) = delete;
  InsideGuard& operator=(const InsideGuard&) = delete;
  explicit operator bool() const noexcept { return entered_; }

 private:
  bool entered_;
};

/// Around everything that may make a system call on a host's thread: errno leaves as it came, a
/// race detector in the program does not look, and a pending pthread_cancel waits until we are out
/// (write and open would act on it, and unwinding through us would end the process).
class SystemCallGuard {
 public:
  SystemCallGuard() noexcept : errno_(errno) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
  }
  ~SystemCallGuard() {
    pthread_setcancelstate(cancel_state_, nullptr);
    errno = errno_;
  }
  SystemCallGuard(const SystemCallGuard&) = delete;
  SystemCallGuard& operator=(const SystemCallGuard&) = delete;

 private:
  const Unwatched unwatched_;
  int errno_;
  int cancel_state_ = 0;
};

/// Around writes to files on a host's thread: a file size limit (SIGXFSZ) or a reader that has
/// gone (SIGPIPE) comes back as an error instead of ending the host.
class WriteGuard {
 public:
  WriteGuard() noexcept {
    sigemptyset(&ours_);
    sigaddset(&ours_, SIGXFSZ);
    sigaddset(&ours_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1 || sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &ours_, &kept_);
  }
  ~WriteGuard() {
    if (!was_pending_) discard_pending();
    pthread_sigmask(SIG_SETMASK, &kept_, nullptr);
  }
  WriteGuard(const WriteGuard&) = delete;
  WriteGuard& operator=(const WriteGuard&) = delete;

  /// Takes back the signals that a blocked write left for this thread.
  void discard_pending() noexcept {
    const int kept = errno;
    const timespec now{0, 0};
    while (sigtimedwait(&ours_, nullptr, &now) > 0) {
    }
    errno = kept;
  }

 private:
  sigset_t ours_;
  sigset_t kept_;
  bool was_pending_;
};

}  // namespace perseid
