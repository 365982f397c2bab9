// mpi/events.h: what the records of MPI calls mean.
#pragma once

#include "capture/event_info.h"
#include "capture/payload.h"

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

inline constexpr ValueName kOperationNames[] = {
#define PERSEID_NAME(name, shape) {Operation::k##name, #name},
    PERSEID_MPI_OPERATIONS(PERSEID_NAME)
#undef PERSEID_NAME
};

/// Where a peer or a root has no meaning, or a call takes any.
inline constexpr uint32_t kProcNull = 0xffffffff;  // MPI_PROC_NULL
inline constexpr uint32_t kAnySource = 0xfffffffe;
inline constexpr uint32_t kAnyTag = 0xffffffff;

inline constexpr EventInfo kEvents[] = {
    {kInit,
     "init",
     {field::number("rank", "in MPI_COMM_WORLD")},
     {field::ticks("begin", "of the call"), field::number("ranks"),
      field::string("version", "of the library")}},
    {kFinalizeBegin, "finalize_begin", {}, {}},
    {kFinalizeEnd, "finalize_end", {}, {}},
    {kCommunicator,
     "communicator",
     {field::number("ranks")},
     {field::identity("communicator"), field::number("rank", "of this process").low(),
      field::number("first", "index of the first member here").high(),
      field::number("member", "rank in MPI_COMM_WORLD").low().repeated(),
      field::number("next_member", "unused after the last").high()}},
    {kBegin,
     "begin",
     {field::choice("operation", kOperationNames)},
     {field::identity("communicator", "0: none"),
      field::number("peer", "or root; 4294967295: none, 4294967294: any").low(),
      field::signed_number("tag", "-1: any").high(),
      field::number("bytes", "or requests of a wait"),
      field::identity("more", "sendrecv: the source and its tag as halves; mrecv: the message")
          .optional()}},
    {kEnd, "end", {field::choice("operation", kOperationNames)}, {}},
    {kEndReceive,
     "end_receive",
     {field::choice("operation", kOperationNames)},
     {field::number("source").low(), field::signed_number("tag").high(), field::number("bytes")}},
    {kEndPost,
     "end_post",
     {field::choice("operation", kOperationNames)},
     {field::identity("request")}},
    {kDone,
     "done",
     {field::choice("operation", kOperationNames, "that waited")},
     {field::identity("request"), field::number("source").low(), field::signed_number("tag").high(),
      field::number("bytes")}},
    {kAbort, "abort", {field::signed_number("code")}, {}},
    {kStarted,
     "started",
     {field::choice("operation", kOperationNames, "that made the request")},
     {field::identity("communicator"), field::number("peer", "or root").low(),
      field::signed_number("tag").high(), field::number("bytes"), field::identity("request")}},
    {kMoved,
     "moved",
     {field::choice("operation", kOperationNames, "that started it")},
     {field::identity("request", "as it was"), field::identity("now", "as it is")}},
    {kMatched,
     "matched",
     {},
     {field::identity("message"), field::identity("communicator"), field::number("source").low(),
      field::signed_number("tag").high()}},
};

}  // namespace perseid::mpi
