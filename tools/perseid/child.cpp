// tools/perseid/child.cpp: fork, exec, and a loop that waits for signals.
#include "tools/perseid/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "tools/perseid/group_witness.h"

namespace perseid {
namespace {

/// All signals that others may send us. Our own faults stay fatal.
sigset_t signals_to_pass_on() {
  sigset_t set;
  sigfillset(&set);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS}) {
    sigdelset(&set, fault);
  }
  return set;
}

/// What must be put back before the program starts.
struct Found {
  sigset_t mask;
  struct sigaction on_child_end;
};

/// In the child. Returns only if the program cannot be started.
void become(const std::vector<std::string>& command, const Found& found) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  sigaction(SIGCHLD, &found.on_child_end, nullptr);
  sigprocmask(SIG_SETMASK, &found.mask, nullptr);
  execvp(words[0], words.data());
}

/// errno of the child's exec, or 0: then the pipe was closed by the exec.
int read_exec_error(int pipe) {
  int error = 0;
  ssize_t got;
  do {
    got = read(pipe, &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  return got == sizeof error ? error : 0;
}

bool comes_from_terminal(const siginfo_t& info) {
  switch (info.si_signo) {
    case SIGINT:
    case SIGQUIT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGWINCH:
      return info.si_code > 0;  // sent by the kernel, to the whole foreground group
    default:
      return false;
  }
}

/// Passes signals on to the program, unless it has got them by itself.
class Passer {
 public:
  explicit Passer(pid_t child) : child_(child) {}

  void pass_on(const siginfo_t& info) {
    const bool is_our_own = info.si_code <= 0 && info.si_pid == getpid();
    if (comes_from_terminal(info) || is_our_own || is_echo(info)) return;
    if (witness_.has_seen(info.si_signo)) {
      to_group_[info.si_signo] = {info.si_pid, Clock::now()};
    } else {
      kill(child_, info.si_signo);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kEcho{1};
  struct ToGroup {
    pid_t sender;
    Clock::time_point at;
  };

  /// timeout(1) sends each signal twice: to what it started, and to the group.
  bool is_echo(const siginfo_t& info) const {
    const auto known = to_group_.find(info.si_signo);
    return known != to_group_.end() && known->second.sender == info.si_pid &&
           Clock::now() - known->second.at < kEcho;
  }

  pid_t child_;
  GroupWitness witness_;
  std::map<int, ToGroup> to_group_;  // the latest, by number
};

/// True when the child has ended; `end` describes how.
bool has_ended(pid_t child, ChildEnd& end) {
  int status = 0;
  while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
    if (WIFSTOPPED(status)) {
      // SIGSTOP was sent to the program alone; its sender will not send us SIGCONT.
      const int by = WSTOPSIG(status);
      if (by == SIGTSTP || by == SIGTTIN || by == SIGTTOU) raise(SIGSTOP);
      continue;
    }
    end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return true;
  }
  return false;
}

void wait_for(pid_t child, const sigset_t& signals, ChildEnd& end) {
  Passer passer(child);
  while (!has_ended(child, end)) {
    siginfo_t info;
    if (sigwaitinfo(&signals, &info) < 0) continue;
    if (info.si_signo != SIGCHLD) passer.pass_on(info);
  }
}

/// Discards signals that arrived for the program after its end.
void forget_pending(const sigset_t& signals) {
  const timespec now = {};
  while (sigtimedwait(&signals, nullptr, &now) > 0 || errno == EINTR) {
  }
}

void leave_only_ends_of_jobs_blocked() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigprocmask(SIG_SETMASK, &set, nullptr);
}

}  // namespace

ChildEnd run_child(const std::vector<std::string>& command) {
  ChildEnd end;
  const sigset_t signals = signals_to_pass_on();
  Found found;
  sigprocmask(SIG_BLOCK, &signals, &found.mask);
  // With SIG_IGN, which may be inherited, there would be nothing to wait for.
  struct sigaction keep_children = {};
  keep_children.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &keep_children, &found.on_child_end);

  int exec_pipe[2];
  if (pipe2(exec_pipe, O_CLOEXEC) != 0) {
    end.exec_error = errno;
    return end;
  }
  const pid_t child = fork();
  if (child == 0) {
    become(command, found);
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(exec_pipe[1], &error, sizeof error);
    _exit(127);
  }
  end.exec_error = child < 0 ? errno : 0;
  close(exec_pipe[1]);
  if (child > 0) {
    end.exec_error = read_exec_error(exec_pipe[0]);
    wait_for(child, signals, end);
  }
  close(exec_pipe[0]);
  forget_pending(signals);
  leave_only_ends_of_jobs_blocked();
  return end;
}

void die_by(int signal) {
  prctl(PR_SET_DUMPABLE, 0);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace perseid
