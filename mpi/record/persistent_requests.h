// mpi/record/persistent_requests.h: what persistent requests will send or receive each time they
// are started.
//
// MPI cannot be asked for it, and programs make such requests while the recording is paused: so it
// is kept here rather than in the capture.
#pragma once

#include <cstdint>

#include "mpi/events.h"
#include "mpi/record/mpi_api.h"

namespace perseid::mpi {

struct Plan {
  Operation made_by = Operation::kCount;
  Word comm = 0;  // may be freed before the request is
  uint64_t communicator = 0;
  uint64_t peer_and_tag = 0;
  uint64_t bytes = 0;
};

/// Nothing happens where the table is full: that request's messages have no arrows.
void keep_plan(Word request, const Plan& plan) noexcept;

/// Null for requests that are not persistent. Valid until the program frees the request.
const Plan* find_plan(Word request) noexcept;

void forget_plan(Word request) noexcept;

}  // namespace perseid::mpi
