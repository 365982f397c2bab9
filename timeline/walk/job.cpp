// timeline/walk/job.cpp: rank, size and host of a capture, from its manifest and state.
#include "timeline/walk/job.h"

#include <fmt/format.h>

namespace perseid {
namespace {

/// Process ids have 32 bits in every reader. The last digits stay those of the kernel's id: a
/// rank may have several processes, one after the other or a forked child.
constexpr uint64_t kPidsPerRank = 10'000;
constexpr uint64_t kMaxRanks = (uint64_t{1} << 32) / kPidsPerRank - 1;

}  // namespace

JobRank job_rank(const Manifest& manifest, const RecordedState& state) {
  JobRank job;
  job.host = manifest.get("host");
  if (state.mpi_size > 0) {
    job.rank = state.mpi_rank;
    job.size = state.mpi_size;
    job.is_known = job.size > 1 && job.rank < job.size;
  } else if (!manifest.get("rank").empty()) {
    job.rank = static_cast<uint32_t>(manifest.get_number("rank"));
    job.size = static_cast<uint32_t>(manifest.get_number("size"));
    job.is_known = job.size != 1;
  }
  return job;
}

uint32_t shown_pid(const JobRank& job, uint32_t kernel_pid) noexcept {
  if (!job.is_known || job.rank >= kMaxRanks) return kernel_pid;
  return static_cast<uint32_t>((job.rank + 1) * kPidsPerRank + kernel_pid % kPidsPerRank);
}

std::string shown_process(const JobRank& job, const std::string& exe) {
  if (!job.is_known) return exe;
  std::string name = fmt::format("rank {}", job.rank);
  if (job.size > 0) name += fmt::format(" of {}", job.size);
  name += " · " + exe;
  if (!job.host.empty()) name += " · " + job.host;
  return name;
}

uint64_t first_flow_id(const JobRank& job, uint32_t pid) noexcept {
  return job.is_known ? uint64_t{pid} << 30 : 0;
}

ClockLine job_clock(const Capture& capture) {
  if (!job_rank(capture.manifest(), capture.state()).is_known || capture.anchors().empty()) {
    return {};
  }
  ClockLine line = measured_line(capture.state(), capture.anchors().back().mono_ns);
  return line.source() != ClockSource::kAlone ? line : realtime_line(capture.anchors());
}

}  // namespace perseid
