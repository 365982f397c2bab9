// tools/perseid/group_witness.h: finds out whether a signal was sent to the whole process group.
//
// Then the program has got it, too, and passing it on would make two of one: launchers such as
// mpirun give up at once at the second SIGTERM. The kernel does not report to whom a signal was
// sent. So a process of ours that blocks all signals stays in the group: what is sent to the group,
// or to every process of a job, waits there until it is asked for.
#pragma once

#include <sys/types.h>

namespace perseid {

class GroupWitness {
 public:
  static constexpr char kName[] = "perseid-witness";

  /// Without a witness (no more processes allowed) no signal counts as seen.
  GroupWitness() { start(); }
  ~GroupWitness() { end(); }
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  /// Whether `signal`, which has just come to us, came to the witness as well. The witness then
  /// forgets it.
  bool has_seen(int signal);

 private:
  void start();
  void end();
  bool ask(int signal);

  pid_t witness_ = -1;
  int line_ = -1;  // a signal's number goes there, 0 or 1 comes back
};

}  // namespace perseid
