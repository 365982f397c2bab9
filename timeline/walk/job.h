// timeline/walk/job.h: which rank of which job a capture is, and what is the same for all of
// them.
#pragma once

#include <cstdint>
#include <string>

#include "capture/clock_line.h"
#include "capture/manifest.h"
#include "capture/reader.h"
#include "capture/session_state.h"

namespace perseid {

struct JobRank {
  bool is_known = false;  // one of several ranks
  uint32_t rank = 0;
  uint32_t size = 0;  // 0: unknown
  std::string host;
};
JobRank job_rank(const Manifest& manifest, const RecordedState& state);

/// The process id shown: the kernel's, or for a rank one that no other rank of any host has.
uint32_t shown_pid(const JobRank& job, uint32_t kernel_pid) noexcept;

/// "solver", or "rank 3 of 4 · solver · node17".
std::string shown_process(const JobRank& job, const std::string& exe);

/// Ids of arrows within a process start here, so that no two processes of a job share one.
uint64_t first_flow_id(const JobRank& job, uint32_t pid) noexcept;

/// The line to the clock of the capture's job, as far as the capture alone shows it. kAlone if
/// it is no rank of a job.
ClockLine job_clock(const Capture& capture);

}  // namespace perseid
