// mpi/record/traced_ranks_barrier.h: whether all ranks that should measure clocks are there to do
// it.
//
// Measuring is a conversation. If a rank is not traced (other environment, a program without the
// library in an MPMD job), whoever waited for its answer would wait for ever, and MPI itself has
// no safe way to ask: any message to an untraced rank may end in a receive of the program's. So
// the ranks agree beside MPI, in the directory of their timelines:
//
//   .perseid-clock-WORLD          each traced rank adds one byte before MPI_Init
//   .perseid-clock-WORLD.agreed   a symbolic link to "go" or "no": made once, by whoever is first
//
// The lowest rank says "go" when all bytes are there. Whoever has waited too long says "no", and
// then it is "no" for everybody. Ranks that do not see one directory together never say "go".
#pragma once

#include <climits>
#include <cstdint>

namespace perseid::mpi {

class Agreement {
 public:
  /// Before MPI_Init.
  void join() noexcept;
  /// After it, when it is known how many are expected. True: all of them measure.
  bool reach(uint32_t expected, bool is_lowest) noexcept;
  /// By the lowest rank once all have seen it, and by all at the end.
  void clear() noexcept;

 private:
  char roster_[PATH_MAX] = "";  // "": there is no way to agree
  char decision_[PATH_MAX] = "";
};

}  // namespace perseid::mpi
