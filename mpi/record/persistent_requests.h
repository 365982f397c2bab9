// mpi/record/persistent_requests.h: the message that each start of a persistent request sends or
// receives.
//
// MPI has no function that returns it, and programs may make such requests while recording is
// paused: so the arguments are kept in memory rather than in the capture.
#pragma once

#include <cstdint>

#include "mpi/events.h"
#include "mpi/record/mpi_api.h"

namespace perseid::mpi {

struct PersistentRequest {
  Operation made_by = Operation::kCount;
  Word comm = 0;  // may be freed before the request is
  uint64_t communicator = 0;
  uint64_t peer_and_tag = 0;
  uint64_t bytes = 0;
};

/// Does nothing if the table is full: the messages of that request have no arrows.
void keep_persistent_request(Word request, const PersistentRequest& info) noexcept;

/// Null for requests that are not persistent. Valid until the program frees the request.
const PersistentRequest* find_persistent_request(Word request) noexcept;

void forget_persistent_request(Word request) noexcept;

}  // namespace perseid::mpi
