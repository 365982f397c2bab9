// plugin/session/communicator_identity.h: how a runtime on top of MPI names a communicator in its
// records.
#pragma once

#include <cstdint>

namespace perseid {

using IdentifyCommunicator = uint64_t (*)(uint64_t handle) noexcept;

/// Set by the MPI producer. The same number on all ranks of the communicator; null: no MPI is
/// known, and one number has to do for all.
inline constinit IdentifyCommunicator g_identify_communicator = nullptr;

inline uint64_t communicator_identity(uint64_t handle) noexcept {
  return g_identify_communicator ? g_identify_communicator(handle) : 1;
}

}  // namespace perseid
