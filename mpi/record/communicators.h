// mpi/record/communicators.h: a name for each communicator that is the same on all its ranks.
//
// A handle means something in one process only. Communicators are made together by all their
// ranks and in the same order, so parent, number of the child and members name one everywhere.
#pragma once

#include <cstdint>

#include "mpi/record/mpi_api.h"

namespace perseid::mpi {

inline constexpr uint64_t kWorldIdentity = 1;
inline constexpr uint64_t kNoIdentity = 0;  // a wait has no communicator

/// What records carry. Records the communicator's members on first sight.
uint64_t identity_of(const MpiApi& mpi, Word handle) noexcept;

/// For a handle that was kept beyond the call it came with: records the members of the communicator
/// where that has not been done, unless the program has freed it since.
void announce_if_there(const MpiApi& mpi, Word handle, uint64_t identity) noexcept;

/// The parent's ranks have made `made`, which may be MPI_COMM_NULL.
void note_made(const MpiApi& mpi, Word parent, Word made) noexcept;

/// The parent's ranks have begun to make a copy, which cannot be asked for anything yet.
void note_copied(const MpiApi& mpi, Word parent, Word made) noexcept;

/// Some of the parent's ranks have made `made`; the others know nothing of it.
void note_made_among(const MpiApi& mpi, Word parent, int tag, Word made) noexcept;

/// The handle may come to mean another one.
void forget(const MpiApi& mpi, Word handle) noexcept;

/// A new session begins: its capture knows of no communicator yet.
void forget_announced() noexcept;

}  // namespace perseid::mpi
