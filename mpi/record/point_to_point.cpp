// mpi/record/point_to_point.cpp: sends and receives, those that wait and those that do not.
#include "mpi/record/hook.h"
#include "mpi/record/status.h"

using namespace perseid;
using namespace perseid::mpi;

namespace {

/// count, type, peer, tag and communicator are the same five arguments everywhere.
struct Message {
  Word count, type, peer, tag, comm;
};

void emit_begin(const MpiApi& mpi, Operation operation, const Message& message) noexcept {
  emit(kind(kBegin), number(operation), identity_of(mpi, message.comm),
       halves(peer_of(mpi, as_int(message.peer)), tag_of(as_int(message.tag))),
       bytes_of(mpi, message.count, message.type));
}

void emit_received(const MpiApi& mpi, Operation operation, Word status) noexcept {
  const Received received = read_status(mpi, status);
  emit(kind(kEndReceive), number(operation), halves(received.source, received.tag), received.bytes);
}

int send(Operation operation, const Function& original, const void* caller, Word buffer,
         const Message& m) {
  const MpiApi& mpi = api();
  if (!records(mpi, caller)) return original(buffer, m.count, m.type, m.peer, m.tag, m.comm);
  emit_begin(mpi, operation, m);
  const int result = original(buffer, m.count, m.type, m.peer, m.tag, m.comm);
  emit(kind(kEnd), number(operation));
  return result;
}

int post(Operation operation, const Function& original, const void* caller, Word buffer,
         const Message& m, Word request) {
  const MpiApi& mpi = api();
  if (!records(mpi, caller))
    return original(buffer, m.count, m.type, m.peer, m.tag, m.comm, request);
  emit_begin(mpi, operation, m);
  const int result = original(buffer, m.count, m.type, m.peer, m.tag, m.comm, request);
  emit(kind(kEndPost), number(operation), result == 0 ? mpi.handle_at(request) : Word{0});
  return result;
}

}  // namespace

#define PERSEID_SEND(name)                                                                    \
  PERSEID_HOOK int name(Word buffer, Word count, Word type, Word peer, Word tag, Word comm) { \
    return send(Operation::k##name, api().name, __builtin_return_address(0), buffer,          \
                {count, type, peer, tag, comm});                                              \
  }
PERSEID_SEND(MPI_Send)
PERSEID_SEND(MPI_Bsend)
PERSEID_SEND(MPI_Ssend)
PERSEID_SEND(MPI_Rsend)
#undef PERSEID_SEND

#define PERSEID_POST(name)                                                                  \
  PERSEID_HOOK int name(Word buffer, Word count, Word type, Word peer, Word tag, Word comm, \
                        Word request) {                                                     \
    return post(Operation::k##name, api().name, __builtin_return_address(0), buffer,        \
                {count, type, peer, tag, comm}, request);                                   \
  }
PERSEID_POST(MPI_Isend)
PERSEID_POST(MPI_Ibsend)
PERSEID_POST(MPI_Issend)
PERSEID_POST(MPI_Irsend)
PERSEID_POST(MPI_Irecv)
#undef PERSEID_POST

PERSEID_HOOK int MPI_Recv(Word buffer, Word count, Word type, Word source, Word tag, Word comm,
                          Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Recv(buffer, count, type, source, tag, comm, status);
  emit_begin(mpi, Operation::kMPI_Recv, {count, type, source, tag, comm});
  const StatusOr known(status);
  const int result = mpi.MPI_Recv(buffer, count, type, source, tag, comm, known.get());
  emit_received(mpi, Operation::kMPI_Recv, known.get());
  return result;
}

PERSEID_HOOK int MPI_Sendrecv(Word buffer, Word count, Word type, Word peer, Word tag, Word into,
                              Word room, Word into_type, Word source, Word source_tag, Word comm,
                              Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Sendrecv(buffer, count, type, peer, tag, into, room, into_type, source,
                            source_tag, comm, status);
  emit(kind(kBegin), number(Operation::kMPI_Sendrecv), identity_of(mpi, comm),
       halves(peer_of(mpi, as_int(peer)), tag_of(as_int(tag))), bytes_of(mpi, count, type),
       halves(peer_of(mpi, as_int(source)), tag_of(as_int(source_tag))));
  const StatusOr known(status);
  const int result = mpi.MPI_Sendrecv(buffer, count, type, peer, tag, into, room, into_type, source,
                                      source_tag, comm, known.get());
  emit_received(mpi, Operation::kMPI_Sendrecv, known.get());
  return result;
}

PERSEID_HOOK int MPI_Sendrecv_replace(Word buffer, Word count, Word type, Word peer, Word tag,
                                      Word source, Word source_tag, Word comm, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Sendrecv_replace(buffer, count, type, peer, tag, source, source_tag, comm,
                                    status);
  emit(kind(kBegin), number(Operation::kMPI_Sendrecv_replace), identity_of(mpi, comm),
       halves(peer_of(mpi, as_int(peer)), tag_of(as_int(tag))), bytes_of(mpi, count, type),
       halves(peer_of(mpi, as_int(source)), tag_of(as_int(source_tag))));
  const StatusOr known(status);
  const int result = mpi.MPI_Sendrecv_replace(buffer, count, type, peer, tag, source, source_tag,
                                              comm, known.get());
  emit_received(mpi, Operation::kMPI_Sendrecv_replace, known.get());
  return result;
}
