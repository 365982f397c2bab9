// mpi/record/persistent_calls.cpp: requests that are made once and started again and again.
#include <algorithm>

#include "mpi/record/hook.h"
#include "mpi/record/persistent_requests.h"

using namespace perseid;
using namespace perseid::mpi;

namespace {

int make(Operation operation, const Function& original, const void* caller, Word buffer, Word count,
         Word type, Word peer, Word tag, Word comm, Word request) {
  const MpiApi& mpi = api();
  if (!is_wanted() || mpi.family == Family::kUnknown || is_starpu_mpi(caller))
    return original(buffer, count, type, peer, tag, comm, request);
  const PersistentRequest info{operation, comm, identity_of(mpi, comm),
                               halves(peer_of(mpi, as_int(peer)), tag_of(as_int(tag))),
                               bytes_of(mpi, count, type)};
  emit(kind(kBegin), number(operation), info.communicator, info.peer_and_tag, info.bytes);
  const int result = original(buffer, count, type, peer, tag, comm, request);
  if (result == 0) keep_persistent_request(mpi.handle_at(request), info);
  emit(kind(kEnd), number(operation));
  return result;
}

/// Requests as they are before they start. Open MPI puts another in the place of a send that it has
/// not quite done with.
class Starting {
 public:
  Starting(const MpiApi& mpi, Word array, int count) noexcept
      : mpi_(mpi), array_(array), followed_(std::clamp(count, 0, kMaxFollowed)) {
    for (int i = 0; i < count; ++i) {
      const Word request = mpi.handle_at(array, static_cast<uint64_t>(i));
      if (i < followed_) before_[i] = request;
      emit_started(request);
    }
  }
  void follow(Operation operation) const noexcept {
    for (int i = 0; i < followed_; ++i) {
      const Word after = mpi_.handle_at(array_, static_cast<uint64_t>(i));
      if (after == before_[i]) continue;
      if (const PersistentRequest* info = find_persistent_request(before_[i]))
        keep_persistent_request(after, PersistentRequest(*info));
      forget_persistent_request(before_[i]);
      emit(kind(kMoved), number(operation), before_[i], after);
    }
  }

 private:
  static constexpr int kMaxFollowed = 2048;

  void emit_started(Word request) const noexcept {
    const PersistentRequest* info = find_persistent_request(request);
    if (!info) return;
    announce_if_there(mpi_, info->comm, info->communicator);
    emit(kind(kStarted), number(info->made_by), info->communicator, info->peer_and_tag, info->bytes,
         request);
  }

  const MpiApi& mpi_;
  Word array_;
  int followed_;
  Word before_[kMaxFollowed];
};

template <class Call>
int start(Operation operation, const void* caller, Word requests, int count, Call call) {
  const MpiApi& mpi = api();
  if (!is_wanted() || mpi.family == Family::kUnknown || is_starpu_mpi(caller)) return call(mpi);
  emit(kind(kBegin), number(operation), kNoIdentity, halves(kProcNull, kAnyTag),
       static_cast<uint64_t>(std::max(count, 0)));
  const Starting starting(mpi, requests, count);
  const int result = call(mpi);
  starting.follow(operation);
  emit(kind(kEnd), number(operation));
  return result;
}

}  // namespace

#define PERSEID_MAKE(name)                                                                        \
  PERSEID_HOOK int name(Word buffer, Word count, Word type, Word peer, Word tag, Word comm,       \
                        Word request) {                                                           \
    return make(Operation::k##name, api().name, __builtin_return_address(0), buffer, count, type, \
                peer, tag, comm, request);                                                        \
  }
PERSEID_MAKE(MPI_Send_init)
PERSEID_MAKE(MPI_Bsend_init)
PERSEID_MAKE(MPI_Ssend_init)
PERSEID_MAKE(MPI_Rsend_init)
PERSEID_MAKE(MPI_Recv_init)
#undef PERSEID_MAKE

PERSEID_HOOK int MPI_Start(Word request) {
  return start(Operation::kMPI_Start, __builtin_return_address(0), request, 1,
               [&](const MpiApi& mpi) { return mpi.MPI_Start(request); });
}

PERSEID_HOOK int MPI_Startall(Word count, Word requests) {
  return start(Operation::kMPI_Startall, __builtin_return_address(0), requests, as_int(count),
               [&](const MpiApi& mpi) { return mpi.MPI_Startall(count, requests); });
}

PERSEID_HOOK int MPI_Request_free(Word request) {
  const MpiApi& mpi = api();
  if (is_wanted() && mpi.family != Family::kUnknown) {
    forget_persistent_request(mpi.handle_at(request));
  }
  return mpi.MPI_Request_free(request);
}
