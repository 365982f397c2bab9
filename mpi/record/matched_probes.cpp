// mpi/record/matched_probes.cpp: probes that take the message they find, and receives of such
// messages.
//
// A message is matched by its probe: that is where it gets its turn among others of its kind.
#include "mpi/record/hook.h"
#include "mpi/record/status.h"

using namespace perseid;
using namespace perseid::mpi;

namespace {

void emit_matched(const MpiApi& mpi, Word comm, Word message, Word status) noexcept {
  const Received found = read_status(mpi, status);
  emit(kind(kMatched), 0, mpi.handle_at(message), identity_of(mpi, comm),
       halves(found.source, found.tag));
}

/// Communicator, source and tag are those of the probe.
void emit_begin(const MpiApi& mpi, Operation operation, Word count, Word type,
                Word message) noexcept {
  emit(kind(kBegin), number(operation), kNoIdentity, halves(kProcNull, kAnyTag),
       bytes_of(mpi, count, type), mpi.handle_at(message));
}

}  // namespace

PERSEID_HOOK int MPI_Mprobe(Word source, Word tag, Word comm, Word message, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Mprobe(source, tag, comm, message, status);
  constexpr Operation kThis = Operation::kMPI_Mprobe;
  emit(kind(kBegin), number(kThis), identity_of(mpi, comm),
       halves(peer_of(mpi, as_int(source)), tag_of(as_int(tag))), uint64_t{0});
  const StatusOr known(status);
  const int result = mpi.MPI_Mprobe(source, tag, comm, message, known.get());
  if (result == 0) emit_matched(mpi, comm, message, known.get());
  emit(kind(kEnd), number(kThis));
  return result;
}

/// Programs call it millions of times: only what it finds is recorded.
PERSEID_HOOK int MPI_Improbe(Word source, Word tag, Word comm, Word flag, Word message,
                             Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Improbe(source, tag, comm, flag, message, status);
  const StatusOr known(status);
  const int result = mpi.MPI_Improbe(source, tag, comm, flag, message, known.get());
  if (result == 0 && *reinterpret_cast<const int*>(flag) != 0)
    emit_matched(mpi, comm, message, known.get());
  return result;
}

PERSEID_HOOK int MPI_Mrecv(Word buffer, Word count, Word type, Word message, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Mrecv(buffer, count, type, message, status);
  constexpr Operation kThis = Operation::kMPI_Mrecv;
  emit_begin(mpi, kThis, count, type, message);
  const StatusOr known(status);
  const int result = mpi.MPI_Mrecv(buffer, count, type, message, known.get());
  const Received received = read_status(mpi, known.get());
  emit(kind(kEndReceive), number(kThis), halves(received.source, received.tag), received.bytes);
  return result;
}

PERSEID_HOOK int MPI_Imrecv(Word buffer, Word count, Word type, Word message, Word request) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Imrecv(buffer, count, type, message, request);
  constexpr Operation kThis = Operation::kMPI_Imrecv;
  emit_begin(mpi, kThis, count, type, message);
  const int result = mpi.MPI_Imrecv(buffer, count, type, message, request);
  emit(kind(kEndPost), number(kThis), result == 0 ? mpi.handle_at(request) : Word{0});
  return result;
}
