// mpi/record/waits.cpp: calls that block until messages are complete. MPI_Test and similar are
// left alone: programs call them millions of times.
#include <algorithm>

#include "mpi/record/hook.h"
#include "mpi/record/status.h"

using namespace perseid;
using namespace perseid::mpi;

namespace {

/// More requests than this at once are waited for without asking who sent what.
constexpr int kMaxAsked = 512;

/// Requests as they are before a wait puts MPI_REQUEST_NULL in their places.
class Requests {
 public:
  Requests(const MpiApi& mpi, Word array, int count) noexcept
      : mpi_(mpi), count_(std::clamp(count, 0, kMaxAsked)) {
    for (int i = 0; i < count_; ++i) before_[i] = mpi.handle_at(array, static_cast<uint64_t>(i));
  }
  void emit_done(Operation operation, int index, Word statuses, int at) const noexcept {
    if (index < 0 || index >= count_ || before_[index] == mpi_.request_null) return;
    const Received received =
        is_ignored(statuses) ? Received{} : read_status(mpi_, statuses, static_cast<uint64_t>(at));
    emit(kind(kDone), number(operation), before_[index], halves(received.source, received.tag),
         received.bytes);
  }
  int count() const noexcept { return count_; }

 private:
  const MpiApi& mpi_;
  int count_;
  Word before_[kMaxAsked];
};

/// Statuses of our own where the program wants none.
class StatusesOr {
 public:
  StatusesOr(Word passed, int count) noexcept
      : used_(is_ignored(passed) && count <= kMaxAsked ? reinterpret_cast<Word>(own_) : passed) {}
  Word get() const noexcept { return used_; }

 private:
  alignas(8) char own_[24 * kMaxAsked];
  Word used_;
};

void begin(Operation operation, int count) noexcept {
  emit(kind(kBegin), number(operation), kNoIdentity, halves(kProcNull, kAnyTag),
       static_cast<uint64_t>(std::max(count, 0)));
}
void end(Operation operation) noexcept { emit(kind(kEnd), number(operation)); }

}  // namespace

PERSEID_HOOK int MPI_Wait(Word request, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0))) return mpi.MPI_Wait(request, status);
  begin(Operation::kMPI_Wait, 1);
  const Word before = mpi.handle_at(request);
  const StatusOr known(status);
  const int result = mpi.MPI_Wait(request, known.get());
  if (before != mpi.request_null) {
    const Received received = read_status(mpi, known.get());
    emit(kind(kDone), number(Operation::kMPI_Wait), before, halves(received.source, received.tag),
         received.bytes);
  }
  end(Operation::kMPI_Wait);
  return result;
}

PERSEID_HOOK int MPI_Waitall(Word count, Word requests, Word statuses) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0))) return mpi.MPI_Waitall(count, requests, statuses);
  constexpr Operation kThis = Operation::kMPI_Waitall;
  begin(kThis, as_int(count));
  const Requests asked(mpi, requests, as_int(count));
  const StatusesOr known(statuses, as_int(count));
  const int result = mpi.MPI_Waitall(count, requests, known.get());
  if (result == 0)
    for (int i = 0; i < asked.count(); ++i) asked.emit_done(kThis, i, known.get(), i);
  end(kThis);
  return result;
}

PERSEID_HOOK int MPI_Waitany(Word count, Word requests, Word index, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Waitany(count, requests, index, status);
  constexpr Operation kThis = Operation::kMPI_Waitany;
  begin(kThis, as_int(count));
  const Requests asked(mpi, requests, as_int(count));
  const StatusOr known(status);
  const int result = mpi.MPI_Waitany(count, requests, index, known.get());
  if (result == 0) asked.emit_done(kThis, *reinterpret_cast<const int*>(index), known.get(), 0);
  end(kThis);
  return result;
}

PERSEID_HOOK int MPI_Waitsome(Word count, Word requests, Word done, Word indices, Word statuses) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0)))
    return mpi.MPI_Waitsome(count, requests, done, indices, statuses);
  constexpr Operation kThis = Operation::kMPI_Waitsome;
  begin(kThis, as_int(count));
  const Requests asked(mpi, requests, as_int(count));
  const StatusesOr known(statuses, as_int(count));
  const int result = mpi.MPI_Waitsome(count, requests, done, indices, known.get());
  const int through = result == 0 ? *reinterpret_cast<const int*>(done) : 0;
  for (int i = 0; i < through; ++i)
    asked.emit_done(kThis, reinterpret_cast<const int*>(indices)[i], known.get(), i);
  end(kThis);
  return result;
}

PERSEID_HOOK int MPI_Probe(Word source, Word tag, Word comm, Word status) {
  const MpiApi& mpi = api();
  if (!records(mpi, __builtin_return_address(0))) return mpi.MPI_Probe(source, tag, comm, status);
  emit(kind(kBegin), number(Operation::kMPI_Probe), identity_of(mpi, comm),
       halves(peer_of(mpi, as_int(source)), tag_of(as_int(tag))), uint64_t{0});
  const int result = mpi.MPI_Probe(source, tag, comm, status);
  end(Operation::kMPI_Probe);
  return result;
}
