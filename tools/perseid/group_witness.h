// tools/perseid/group_witness.h: finds out whether a signal was sent to the whole process group.
//
// Then the program has got it, too, and passing it on would make two of one: launchers such as
// mpirun give up at once at the second SIGTERM. The kernel does not say whom a signal was sent to.
// So a process of ours that blocks all signals and does nothing stays in the group: what is sent
// to the group, or to every process of a job, waits at it and can be seen there.
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

  /// Whether `signal`, which has just come to us, came to the witness as well. It is then
  /// forgotten, so that the next one of the same number can be told.
  bool has_seen(int signal);

 private:
  void start();
  void end();
  bool is_pending(int signal) const;

  pid_t witness_ = -1;
};

}  // namespace perseid
