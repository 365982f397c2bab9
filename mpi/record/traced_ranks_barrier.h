// mpi/record/traced_ranks_barrier.h: waits until all ranks that should measure clocks are there.
//
// Measuring needs both sides. If a rank is not traced (other environment, a program without the
// library in an MPMD job), a rank that waits for its reply would wait for ever, and MPI has no safe
// way to find out: any message to an untraced rank may end in a receive of the program's. So the
// ranks use files in the directory of their timelines instead of MPI:
//
//   .perseid-clock-WORLD          each traced rank appends one byte before MPI_Init
//   .perseid-clock-WORLD.agreed   a symbolic link to "go" or "no": made once, by the first rank
//
// The lowest rank decides "go" when all bytes are there. A rank whose wait times out decides "no",
// which then holds for all ranks. Ranks that do not share a directory never see "go".
#pragma once

#include <climits>
#include <cstdint>

namespace perseid::mpi {

class TracedRanksBarrier {
 public:
  /// Before MPI_Init.
  void enter() noexcept;
  /// After MPI_Init, when the number of traced ranks is known. True: all of them measure.
  bool wait(uint32_t expected, bool is_lowest) noexcept;
  /// Removes the files: by the lowest rank once all have passed, and by all at the end.
  void clear() noexcept;

 private:
  char arrivals_[PATH_MAX] = "";  // "": there is no shared directory
  char decision_[PATH_MAX] = "";
};

}  // namespace perseid::mpi
