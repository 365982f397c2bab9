// mpi/events.h: what the records of MPI calls mean.
#pragma once

#include "capture/record.h"

namespace perseid::mpi {

enum Event : uint8_t {
  kInit = 1,
  kFinalizeBegin = 2,
  kFinalizeEnd = 3,
  kCommunicator = 4,
  kBegin = 5,
  kEnd = 6,
  kEndReceive = 7,
  kEndPost = 8,
  kDone = 9,
  kAbort = 10,
  kStarted = 11,
  kMoved = 12,
  kMatched = 13,
};

inline constexpr EventInfo kEvents[] = {
    {kInit, "init", "rank in MPI_COMM_WORLD", "ticks at its begin, ranks, text of the version"},
    {kFinalizeBegin, "finalize_begin", "0", ""},
    {kFinalizeEnd, "finalize_end", "0", ""},
    {kCommunicator, "communicator", "number of ranks",
     "identity, own rank and index of the first rank told here, ranks in MPI_COMM_WORLD by two"},
    {kBegin, "begin", "operation",
     "communicator, peer or root and tag, bytes, and of sendrecv the source and its tag, of mrecv "
     "the message"},
    {kEnd, "end", "operation", ""},
    {kEndReceive, "end_receive", "operation", "source and tag, bytes"},
    {kEndPost, "end_post", "operation", "request"},
    {kDone, "done", "operation that waited", "request, source and tag, bytes"},
    {kAbort, "abort", "error code", ""},
    {kStarted, "started", "operation that made the request",
     "communicator, peer and tag, bytes, request"},
    {kMoved, "moved", "operation that started it", "request as it was and as it is now"},
    {kMatched, "matched", "0", "message, communicator, source and tag"},
};

inline constexpr uint16_t kind(Event event) noexcept { return make_kind(ProducerId::kMpi, event); }

/// How a call takes part in messages.
enum class CallKind : uint8_t {
  kSend,
  kReceive,
  kBoth,
  kPostSend,
  kPostReceive,
  kWait,
  kCollective,
  kPersistentSend,  // no message yet: each start of the request is one
  kPersistentReceive,
  kStart,
  kReceiveMatched,  // of a message that a probe has taken
  kPostReceiveMatched,
};

// X(name, shape): an operation's number is its place in this list, so new ones go to its end.
#define PERSEID_MPI_OPERATIONS(X)          \
  X(MPI_Send, kSend)                       \
  X(MPI_Bsend, kSend)                      \
  X(MPI_Ssend, kSend)                      \
  X(MPI_Rsend, kSend)                      \
  X(MPI_Recv, kReceive)                    \
  X(MPI_Sendrecv, kBoth)                   \
  X(MPI_Sendrecv_replace, kBoth)           \
  X(MPI_Isend, kPostSend)                  \
  X(MPI_Ibsend, kPostSend)                 \
  X(MPI_Issend, kPostSend)                 \
  X(MPI_Irsend, kPostSend)                 \
  X(MPI_Irecv, kPostReceive)               \
  X(MPI_Wait, kWait)                       \
  X(MPI_Waitall, kWait)                    \
  X(MPI_Waitany, kWait)                    \
  X(MPI_Waitsome, kWait)                   \
  X(MPI_Probe, kWait)                      \
  X(MPI_Barrier, kCollective)              \
  X(MPI_Bcast, kCollective)                \
  X(MPI_Reduce, kCollective)               \
  X(MPI_Allreduce, kCollective)            \
  X(MPI_Scan, kCollective)                 \
  X(MPI_Exscan, kCollective)               \
  X(MPI_Reduce_scatter_block, kCollective) \
  X(MPI_Reduce_scatter, kCollective)       \
  X(MPI_Gather, kCollective)               \
  X(MPI_Gatherv, kCollective)              \
  X(MPI_Scatter, kCollective)              \
  X(MPI_Scatterv, kCollective)             \
  X(MPI_Allgather, kCollective)            \
  X(MPI_Allgatherv, kCollective)           \
  X(MPI_Alltoall, kCollective)             \
  X(MPI_Alltoallv, kCollective)            \
  X(MPI_Alltoallw, kCollective)            \
  X(MPI_Ibarrier, kCollective)             \
  X(MPI_Ibcast, kCollective)               \
  X(MPI_Ireduce, kCollective)              \
  X(MPI_Iallreduce, kCollective)           \
  X(MPI_Igather, kCollective)              \
  X(MPI_Iscatter, kCollective)             \
  X(MPI_Iallgather, kCollective)           \
  X(MPI_Ialltoall, kCollective)            \
  X(MPI_Send_init, kPersistentSend)        \
  X(MPI_Bsend_init, kPersistentSend)       \
  X(MPI_Ssend_init, kPersistentSend)       \
  X(MPI_Rsend_init, kPersistentSend)       \
  X(MPI_Recv_init, kPersistentReceive)     \
  X(MPI_Start, kStart)                     \
  X(MPI_Startall, kStart)                  \
  X(MPI_Mprobe, kWait)                     \
  X(MPI_Mrecv, kReceiveMatched)            \
  X(MPI_Imrecv, kPostReceiveMatched)

enum class Operation : uint32_t {
#define PERSEID_ENUMERATOR(name, call_kind) k##name,
  PERSEID_MPI_OPERATIONS(PERSEID_ENUMERATOR)
#undef PERSEID_ENUMERATOR
      kCount
};

struct OperationInfo {
  const char* name;
  CallKind call_kind;
};
inline constexpr OperationInfo kOperations[] = {
#define PERSEID_ROW(name, call_kind) {#name, CallKind::call_kind},
    PERSEID_MPI_OPERATIONS(PERSEID_ROW)
#undef PERSEID_ROW
};

/// Where a peer or a root has no meaning, or a call takes any.
inline constexpr uint32_t kProcNull = 0xffffffff;  // MPI_PROC_NULL
inline constexpr uint32_t kAnySource = 0xfffffffe;
inline constexpr uint32_t kAnyTag = 0xffffffff;

/// Two numbers of 32 bits in one word, the first in the low half.
constexpr uint64_t halves(uint32_t low, uint32_t high) noexcept {
  return uint64_t{high} << 32 | low;
}

}  // namespace perseid::mpi
