// mpi/record/lifecycle.h: the producer's two ends.
#pragma once

namespace perseid::mpi {

/// When the library arms, and in a forked child that records.
void start() noexcept;
/// Before the last drain.
void stop() noexcept;

}  // namespace perseid::mpi
