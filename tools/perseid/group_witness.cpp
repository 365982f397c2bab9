// tools/perseid/group_witness.cpp: see group_witness.h.
#include "tools/perseid/group_witness.h"

#include <errno.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace perseid {
namespace {

/// The kernel goes through a group one by one, and batch systems send to each process of a job.
constexpr timespec kPause = {0, 10'000'000};
constexpr int kMaxLooks = 5;

[[noreturn]] void stand_by(pid_t parent) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  prctl(PR_SET_NAME, GroupWitness::kName);
  // Pipes of the user's shell must not stay open because of it.
  close_range(0, ~0u, 0);
  for (;;) pause();
}

}  // namespace

void GroupWitness::start() {
  const pid_t parent = getpid();
  witness_ = fork();
  if (witness_ == 0) stand_by(parent);
}

void GroupWitness::end() {
  if (witness_ <= 0) return;
  kill(witness_, SIGKILL);
  while (waitpid(witness_, nullptr, 0) < 0 && errno == EINTR) {
  }
  witness_ = -1;
}

bool GroupWitness::is_pending(int signal) const {
  std::ifstream status(fmt::format("/proc/{}/status", witness_));
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigPnd:") && !line.starts_with("ShdPnd:")) continue;
    const unsigned long long mask = strtoull(line.c_str() + 7, nullptr, 16);
    if (mask >> (signal - 1) & 1) return true;
  }
  return false;
}

bool GroupWitness::has_seen(int signal) {
  if (witness_ <= 0) return false;
  bool is_seen = is_pending(signal);
  for (int look = 1; look < kMaxLooks && !is_seen; ++look) {
    nanosleep(&kPause, nullptr);
    is_seen = is_pending(signal);
  }
  if (is_seen) {
    end();
    start();
  }
  return is_seen;
}

}  // namespace perseid
