// plugin/settings/job_environment.h: who this process is within its job, for names and for
// metadata.
#pragma once

#include <cstdint>

namespace perseid {

/// Texts are empty where there is no such thing. None holds a '/' or a control byte: they become
/// parts of file names.
struct PatternFacts {
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

/// Asks MPI if it has told, /proc, the kernel and the environment that MPI launchers and batch
/// systems set.
PatternFacts read_pattern_facts() noexcept;

/// The rank and the number of ranks, -1 and 0 if nobody has told.
struct JobPlace {
  int64_t rank = -1;
  uint32_t size = 0;
};
JobPlace read_job_place() noexcept;

/// What MPI itself says counts more than the environment.
void note_mpi_place(uint32_t rank, uint32_t size) noexcept;

}  // namespace perseid
