// mpi/record/clock_exchange.h: how far this rank's clock is from the reference's, measured over
// MPI.
//
// The reference is the lowest traced rank. Each other rank sends to it and gets the time back;
// the shortest of many round trips bounds the error by half of its length:
//
//   rank       t1 --.            .--> t3        offset = t2 - (t1 + t3) / 2
//   reference        '--> t2 ---'               error <= (t3 - t1) / 2
//
// Ranks of one machine share a clock and need no measuring. Once at MPI_Init and once at
// MPI_Finalize: between the two the drift is a straight line.
#pragma once

#include "capture/format.h"
#include "mpi/record/mpi_api.h"

namespace perseid::mpi {

/// Messages between the traced ranks, on a communicator of their own. Where all ranks are traced,
/// the communicator stays open, so that MPI cannot refuse a second one. Otherwise it is freed after
/// each measurement: while the program runs, no rank may have a communicator that others lack. Open
/// MPI would need several rounds to choose the number of a new one, and two MPI_Comm_idup at once
/// then wait for each other for ever.
class ClockExchange {
 public:
  /// Collective over the traced of `world_size` ranks. False if there is no other traced rank.
  bool measure(const MpiApi& mpi, uint32_t world_size, ClockSync& found) noexcept;
  void close(const MpiApi& mpi) noexcept;

 private:
  bool open(const MpiApi& mpi, uint32_t world_size) noexcept;
  bool compare(const MpiApi& mpi, ClockSync& found) noexcept;
  void serve_probes(const MpiApi& mpi, int rank, int rounds) const noexcept;
  bool probe_reference(const MpiApi& mpi, int rounds, ClockSync& found) const noexcept;

  Word comm_ = 0;
  int rank_ = 0;  // among the traced
  int size_ = 0;
  uint32_t reference_ = 0;  // its rank in the world
};

}  // namespace perseid::mpi
