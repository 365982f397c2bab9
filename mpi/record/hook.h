// mpi/record/hook.h: what every hook of MPI needs.
#pragma once

#include "mpi/events.h"
#include "mpi/record/communicators.h"
#include "mpi/record/mpi_api.h"
#include "plugin/record/emit.h"
#include "plugin/session/session.h"

/// A function of MPI's that we define in its place. Not noexcept: MPI may run the program's own
/// error handlers and reductions inside it. Forwards exactly once.
#define PERSEID_HOOK extern "C" [[gnu::visibility("default")]]

namespace perseid::mpi {

/// Whether a process that is traced shows its MPI: the setting mpi.
inline bool is_wanted() noexcept { return g_origin.settings.is_on && g_origin.settings.mpi; }

/// Calls are recorded where the MPI is known and StarPU-MPI is not the caller.
inline bool records(const MpiApi& mpi, const void* caller) noexcept {
  return is_recording() && g_origin.settings.mpi && mpi.family != Family::kUnknown &&
         !is_starpu_mpi(caller);
}

constexpr uint32_t number(Operation operation) noexcept { return static_cast<uint32_t>(operation); }
constexpr int as_int(Word passed) noexcept { return static_cast<int>(passed); }

/// The two special ranks have each other's numbers in the two families.
inline uint32_t peer_of(const MpiApi& mpi, int rank) noexcept {
  if (rank >= 0) return static_cast<uint32_t>(rank);
  const int any = mpi.family == Family::kOpenMpi ? -1 : -2;
  return rank == any ? kAnySource : kProcNull;
}
inline uint32_t tag_of(int tag) noexcept { return static_cast<uint32_t>(tag); }  // -1: any

inline uint64_t bytes_of(const MpiApi& mpi, Word count, Word type) noexcept {
  int size = 0;
  if (as_int(count) <= 0 || mpi.PMPI_Type_size(type, &size) != 0 || size < 0) return 0;
  return static_cast<uint64_t>(as_int(count)) * static_cast<uint64_t>(size);
}

}  // namespace perseid::mpi
