// plugin/settings/job_environment.h: program, host, rank and job of this process, for file names
// and for the manifest.
#pragma once

#include <cstdint>

namespace perseid {

/// Texts are empty where there is no such thing. None holds a '/' or a control byte: they become
/// parts of file names.
struct JobEnvironment {
  char exe[256];
  char host[256];
  char rank[64];
  char size[64];  // ranks of the job
  char local_rank[64];
  char job[128];
  char step[64];
  char array_index[64];
  char restart[64];     // how often the batch system began the job anew; empty the first time
  char time_limit[64];  // when the batch system will end the job, seconds since 1970
  char world[128];      // the same for all ranks of one MPI program and for no other, if known
  uint64_t pid;
  int64_t start_s;  // seconds since 1970, UTC
};

/// From MPI if it has started, /proc, the kernel, and the variables that MPI launchers and batch
/// systems set.
JobEnvironment read_job_environment() noexcept;

/// The rank and the number of ranks, -1 and 0 if unknown.
struct RankInJob {
  int64_t rank = -1;
  uint32_t size = 0;
};
RankInJob read_rank_in_job() noexcept;

/// MPI itself overrides the environment.
void set_mpi_rank(uint32_t rank, uint32_t size) noexcept;

}  // namespace perseid
