// plugin/session/last_thread.cpp: exits when the main thread is a zombie and only our threads are
// left.
#include "plugin/session/last_thread.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "plugin/record/host_guard.h"
#include "plugin/record/race_detector.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/own_descriptors.h"
#include "plugin/session/session.h"

namespace perseid {

namespace {
constexpr int64_t kSeldomNs = 1'000'000'000;
constexpr int64_t kOftenNs = 10'000'000;
}  // namespace

int LastThread::start(Session& session) noexcept {
  g_attendant.store(getpid());  // the main thread, until this one runs
  return start_hidden_thread(run, &session);
}

void LastThread::look_often(Session& session) noexcept {
  looks_often_.store(true, std::memory_order_relaxed);
  wake_state_waiters(session);
}

void* LastThread::run(void* argument) noexcept {
  if (!becomes_last(*static_cast<Session*>(argument))) {
    g_attendant.store(0);
    return nullptr;
  }
  t_word.inside = 0;  // what the handlers of exit record is the program's
  WriteGuard().discard_pending();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  std::exit(0);
}

/// False if the session ends before.
bool LastThread::becomes_last(Session& session) noexcept {
  t_word.inside = 1;  // nothing this thread does is the program's doing
  const Unwatched unwatched;
  prctl(PR_SET_NAME, "perseid-last");
  g_attendant.store(static_cast<pid_t>(syscall(SYS_gettid)));
  for (;;) {
    const SessionState state = session.state.load();
    if (state == SessionState::kDone) return false;
    if (state == SessionState::kOn && is_last()) return true;
    const bool looks_often = session.last_thread.looks_often_.load(std::memory_order_relaxed);
    wait_while(session, state, looks_often ? kOftenNs : kSeldomNs);
  }
}

/// "PID (NAME) STATE ..." where NAME may hold anything; field 20 is the number of threads. A main
/// thread that has left is still counted as a zombie, with this thread and the drainer.
bool LastThread::is_last() noexcept {
  char stat[1024];
  if (read_small_file("/proc/self/stat", stat, sizeof stat) <= 0) return false;
  const char* at = std::strrchr(stat, ')');
  if (!at || at[1] != ' ' || at[2] != 'Z') return false;
  at += 2;
  for (int field = 3; field < 20; ++field) {
    at = std::strchr(at, ' ');
    if (!at) return false;
    ++at;
  }
  return std::strtol(at, nullptr, 10) == 3;
}

}  // namespace perseid
