// plugin/session/signals.cpp: one handler, which ends the session and raises the signal again.
#include "plugin/session/signals.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "plugin/session/session.h"

namespace perseid {

namespace {

std::atomic<bool> g_is_interrupted{false};

/// Does what would have happened without us: the default action, as if sent from outside.
void die_of(int signal) noexcept {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  sigaction(signal, &action, nullptr);
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, signal);
  raise(signal);
  pthread_sigmask(SIG_UNBLOCK, &mask, nullptr);
}

/// Async-signal-safe: the drainer does the work, this thread only waits for it.
extern "C" void end_on_signal(int signal) noexcept {
  const int kept = errno;
  // The second Ctrl-C of an impatient user ends at once; the capture stays.
  const bool is_second = signal == SIGINT && g_is_interrupted.exchange(true);
  if (!is_second) end_session(static_cast<uint32_t>(signal));
  die_of(signal);
  errno = kept;
}

}  // namespace

void catch_end_signals() noexcept {
  for (const int signal : {SIGTERM, SIGINT}) {
    struct sigaction old {};
    if (sigaction(signal, nullptr, &old) != 0 || (old.sa_flags & SA_SIGINFO) ||
        old.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_handler = end_on_signal;
    ours.sa_flags = SA_ONSTACK | SA_RESTART;
    // The second one must come through while the only thread waits in the handler of the first.
    if (signal == SIGINT) ours.sa_flags |= SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    sigaction(signal, &ours, nullptr);
  }
}

}  // namespace perseid
