// tools/perseid/group_witness.cpp: a child with all signals blocked, which looks for pending ones.
#include "tools/perseid/group_witness.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace perseid {
namespace {

/// The kernel goes through a group one by one, and batch systems send to each process of a job.
constexpr timespec kPause = {0, 10'000'000};
constexpr int kMaxLooks = 5;
constexpr int kAnswerMs = 2000;  // then it is stopped, or gone

/// Ends when the other side does.
[[noreturn]] void stand_by(int line) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_NAME, GroupWitness::kName);
  // Pipes of the user's shell must not stay open because of the witness.
  dup2(line, 0);
  close_range(1, ~0u, 0);
  for (unsigned char number = 0; read(0, &number, 1) == 1;) {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, number);
    const timespec now = {};
    const unsigned char is_seen = sigtimedwait(&wanted, nullptr, &now) == number;
    if (write(0, &is_seen, 1) != 1) break;
  }
  _exit(0);
}

}  // namespace

void GroupWitness::start() {
  int lines[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, lines) != 0) return;
  witness_ = fork();
  if (witness_ == 0) {
    close(lines[0]);
    stand_by(lines[1]);
  }
  close(lines[1]);
  line_ = lines[0];
}

void GroupWitness::end() {
  if (line_ >= 0) close(line_);
  line_ = -1;
  if (witness_ <= 0) return;
  kill(witness_, SIGKILL);
  while (waitpid(witness_, nullptr, 0) < 0 && errno == EINTR) {
  }
  witness_ = -1;
}

bool GroupWitness::ask(int signal) {
  const auto number = static_cast<unsigned char>(signal);
  unsigned char is_seen = 0;
  pollfd answer = {line_, POLLIN, 0};
  if (send(line_, &number, 1, MSG_NOSIGNAL) == 1 && poll(&answer, 1, kAnswerMs) == 1 &&
      read(line_, &is_seen, 1) == 1) {
    return is_seen != 0;
  }
  end();  // an answer that comes late would be taken for that of the next question
  return false;
}

bool GroupWitness::has_seen(int signal) {
  for (int look = 0; look < kMaxLooks && witness_ > 0; ++look) {
    if (look > 0) nanosleep(&kPause, nullptr);
    if (ask(signal)) return true;
  }
  return false;
}

}  // namespace perseid
