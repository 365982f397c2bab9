// capture/session_state.h: the state file as it was when read: counters, how the session ended.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture/file.h"
#include "capture/format.h"

namespace perseid {

struct RecordedState {
  uint32_t pid = 0;
  uint64_t session = 0;
  SessionEnd end = SessionEnd::kRunning;
  uint32_t end_signal = 0;
  uint32_t streams = 0;
  uint64_t lost_without_ring = 0;
  uint64_t nested = 0;
  uint64_t names_lost = 0;
  uint64_t spool_errors = 0;
  uint64_t spooled_bytes = 0;
  int32_t last_errno = 0;
  uint32_t mpi_size = 0;  // 0: not known from MPI
  uint32_t mpi_rank = 0;
  uint64_t overwritten_bytes = 0;
  uint64_t overwritten_ticks = 0;
  std::vector<ClockSync> syncs;      // those that are sound
  std::vector<ClockAnchor> anchors;  // those that are sound
  std::string problem;               // "": the file is sound
};

/// A file that cannot be read gives zeros and a problem.
RecordedState read_state(const File& file);

}  // namespace perseid
