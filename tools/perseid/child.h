// tools/perseid/child.h: runs a program as if `perseid run` were not there.
#pragma once

#include <string>
#include <vector>

namespace perseid {

struct ChildEnd {
  int exec_error = 0;  // errno: the program could not be started
  int signal = 0;      // the signal that killed the program
  int status = 0;      // else its exit status
};

/// Starts the program with the signal mask and dispositions that we found, and waits for its
/// end. Signals sent to us are passed on; those of the terminal reach it anyway. When the
/// terminal stops it, we stop too, so that the shell's job control works. From the return on,
/// SIGTERM and SIGHUP stay blocked: the timelines of a job that is being ended are still made.
ChildEnd run_child(const std::vector<std::string>& command);

/// Ends this process by the same signal, without a core file of its own.
[[noreturn]] void die_by(int signal);

}  // namespace perseid
