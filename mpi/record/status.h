// mpi/record/status.h: the fields of an MPI_Status, in the layout of either family.
//
//   Open MPI   int source, tag, error, cancelled; size_t bytes          24 bytes
//   MPICH      int bytes_low, bytes_high_and_cancelled, source, tag, error   20 bytes
#pragma once

#include <cstdint>
#include <cstring>

#include "mpi/record/hook.h"

namespace perseid::mpi {

struct Received {
  uint32_t source = kProcNull;
  uint32_t tag = kAnyTag;
  uint64_t bytes = 0;
};

inline size_t status_bytes(const MpiApi& mpi) noexcept {
  return mpi.family == Family::kOpenMpi ? 24 : 20;
}

/// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE are small numbers instead of addresses.
inline bool is_ignored(Word status) noexcept { return status < 4096; }

inline Received read_status(const MpiApi& mpi, Word status, uint64_t index = 0) noexcept {
  const char* at = reinterpret_cast<const char*>(status) + index * status_bytes(mpi);
  int32_t words[5];
  std::memcpy(words, at, sizeof words);
  Received received;
  if (mpi.family == Family::kOpenMpi) {
    received.source = peer_of(mpi, words[0]);
    received.tag = tag_of(words[1]);
    std::memcpy(&received.bytes, at + 16, sizeof received.bytes);
  } else {
    received.source = peer_of(mpi, words[2]);
    received.tag = tag_of(words[3]);
    received.bytes =
        static_cast<uint32_t>(words[0]) | uint64_t{static_cast<uint32_t>(words[1]) >> 1} << 32;
  }
  return received;
}

/// Our own status where the program passes none: it holds the source.
class StatusOr {
 public:
  explicit StatusOr(Word passed) noexcept
      : used_(is_ignored(passed) ? reinterpret_cast<Word>(own_) : passed) {}
  Word get() const noexcept { return used_; }

 private:
  alignas(8) char own_[24] = {};
  Word used_;
};

}  // namespace perseid::mpi
