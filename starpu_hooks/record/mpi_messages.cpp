// starpu_hooks/record/mpi_messages.cpp: data that StarPU-MPI sends and receives, from post to
// completion.
//
// Messages that starpu_mpi_task_insert starts itself come by the same public functions.
#include "plugin/session/communicator_identity.h"
#include "starpu_hooks/record/chained_callbacks.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/starpu/starpu_mpi_api.h"

namespace perseid::starpu {

namespace {

constinit std::atomic<uint64_t> g_last_message{0};

struct Message {
  uint32_t flags;
  Data* data;
  int peer;
  MpiTag tag;
  int priority;
  Comm comm;
};

/// Some of these functions call others of them: the outermost is the one to record.
class MessageCall {
 public:
  explicit MessageCall(const Message& message) noexcept
      : is_outermost_(!t_word.is_in_message && is_recording()) {
    if (!is_outermost_) return;
    t_word.is_in_message = true;
    id_ = g_last_message.fetch_add(1, std::memory_order_relaxed) + 1;
    int rank = 0;
    mpi_api().starpu_mpi_comm_rank(message.comm, &rank);
    emit(kind(kMpiPost), message.flags, id_, word(message.data),
         halves(bits(message.peer), bits(rank)), static_cast<uint64_t>(message.tag),
         uint64_t{api().starpu_data_get_size(message.data)}, uint64_t{bits(message.priority)},
         communicator_identity(message.comm));
  }
  ~MessageCall() {
    if (is_outermost_) t_word.is_in_message = false;
  }
  MessageCall(const MessageCall&) = delete;
  MessageCall& operator=(const MessageCall&) = delete;

  bool is_outermost() const noexcept { return is_outermost_; }
  uint64_t id() const noexcept { return id_; }

 private:
  bool is_outermost_;
  uint64_t id_ = 0;
};

/// StarPU-MPI completes a message also where its data comes free: on a worker, or inside the call
/// that posts it.
bool is_own_thread() noexcept {
  const auto worker = api().starpu_worker_get_id;
  return !t_word.is_in_message && (!worker || worker() < 0);
}

void run_chained(void* argument) {
  auto* chained = static_cast<ChainedCallback*>(argument);
  const ChainedCallback kept = *chained;
  give_back(chained);
  emit(kind(kMpiDone), is_own_thread() ? uint32_t{kMpiInCallback} : 0, kept.message);
  if (kept.function) kept.function(kept.argument);
}

/// call(callback, argument) forwards.
template <class Call>
int detached(const Message& message, CallbackFunction function, void* argument, Call call) {
  const MessageCall recorded(message);
  ChainedCallback* chained =
      recorded.is_outermost() ? take_chained(function, argument, recorded.id()) : nullptr;
  return chained ? call(&run_chained, chained) : call(function, argument);
}

template <class Call>
int blocking(const Message& message, Call call) {
  const MessageCall recorded(message);
  const int result = call();
  if (recorded.is_outermost()) emit(kind(kMpiDone), 0, recorded.id());
  return result;
}

/// What is waited for later is known by StarPU-MPI's request.
template <class Call>
int posted(const Message& message, void** request, Call call) {
  const MessageCall recorded(message);
  const int result = call();
  if (recorded.is_outermost()) emit(kind(kMpiRequest), 0, recorded.id(), word(*request));
  return result;
}

template <class Call>
int waiting(WaitKind what_for, Call call) {
  if (!is_recording() || t_word.is_in_message) return call();
  const auto arg = static_cast<uint32_t>(what_for);
  emit(kind(kWaitBegin), arg, uint64_t{0}, uint64_t{0});
  const int result = call();
  emit(kind(kWaitEnd), arg, static_cast<int64_t>(result));
  return result;
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_mpi_isend(Data* data, void** request, int to, MpiTag tag, Comm comm) {
  return posted({0, data, to, tag, 0, comm}, request,
                [&] { return mpi_api().starpu_mpi_isend(data, request, to, tag, comm); });
}

PERSEID_HOOK int starpu_mpi_isend_prio(Data* data, void** request, int to, MpiTag tag, int prio,
                                       Comm comm) {
  return posted({0, data, to, tag, prio, comm}, request, [&] {
    return mpi_api().starpu_mpi_isend_prio(data, request, to, tag, prio, comm);
  });
}

PERSEID_HOOK int starpu_mpi_issend(Data* data, void** request, int to, MpiTag tag, Comm comm) {
  return posted({kMpiSynchronous, data, to, tag, 0, comm}, request,
                [&] { return mpi_api().starpu_mpi_issend(data, request, to, tag, comm); });
}

PERSEID_HOOK int starpu_mpi_issend_prio(Data* data, void** request, int to, MpiTag tag, int prio,
                                        Comm comm) {
  return posted({kMpiSynchronous, data, to, tag, prio, comm}, request, [&] {
    return mpi_api().starpu_mpi_issend_prio(data, request, to, tag, prio, comm);
  });
}

PERSEID_HOOK int starpu_mpi_irecv(Data* data, void** request, int from, MpiTag tag, Comm comm) {
  return posted({kMpiReceives, data, from, tag, 0, comm}, request,
                [&] { return mpi_api().starpu_mpi_irecv(data, request, from, tag, comm); });
}

PERSEID_HOOK int starpu_mpi_send(Data* data, int to, MpiTag tag, Comm comm) {
  return blocking({0, data, to, tag, 0, comm},
                  [&] { return mpi_api().starpu_mpi_send(data, to, tag, comm); });
}

PERSEID_HOOK int starpu_mpi_send_prio(Data* data, int to, MpiTag tag, int prio, Comm comm) {
  return blocking({0, data, to, tag, prio, comm},
                  [&] { return mpi_api().starpu_mpi_send_prio(data, to, tag, prio, comm); });
}

PERSEID_HOOK int starpu_mpi_recv(Data* data, int from, MpiTag tag, Comm comm, void* status) {
  return blocking({kMpiReceives, data, from, tag, 0, comm},
                  [&] { return mpi_api().starpu_mpi_recv(data, from, tag, comm, status); });
}

#define PERSEID_DETACHED(name, flags)                                                           \
  PERSEID_HOOK int name(Data* data, int peer, MpiTag tag, Comm comm, CallbackFunction function, \
                        void* argument) {                                                       \
    return detached({flags, data, peer, tag, 0, comm}, function, argument,                      \
                    [&](CallbackFunction chained, void* with) {                                 \
                      return mpi_api().name(data, peer, tag, comm, chained, with);              \
                    });                                                                         \
  }
PERSEID_DETACHED(starpu_mpi_isend_detached, 0)
PERSEID_DETACHED(starpu_mpi_issend_detached, kMpiSynchronous)
PERSEID_DETACHED(starpu_mpi_irecv_detached, kMpiReceives)
#undef PERSEID_DETACHED

#define PERSEID_DETACHED_PRIO(name, flags)                                               \
  PERSEID_HOOK int name(Data* data, int peer, MpiTag tag, int prio, Comm comm,           \
                        CallbackFunction function, void* argument) {                     \
    return detached({flags, data, peer, tag, prio, comm}, function, argument,            \
                    [&](CallbackFunction chained, void* with) {                          \
                      return mpi_api().name(data, peer, tag, prio, comm, chained, with); \
                    });                                                                  \
  }
PERSEID_DETACHED_PRIO(starpu_mpi_isend_detached_prio, 0)
PERSEID_DETACHED_PRIO(starpu_mpi_issend_detached_prio, kMpiSynchronous)
PERSEID_DETACHED_PRIO(starpu_mpi_irecv_detached_prio, kMpiReceives)
#undef PERSEID_DETACHED_PRIO

PERSEID_HOOK int starpu_mpi_irecv_detached_sequential_consistency(Data* data, int from, MpiTag tag,
                                                                  Comm comm,
                                                                  CallbackFunction function,
                                                                  void* argument, int is_kept) {
  return detached({kMpiReceives, data, from, tag, 0, comm}, function, argument,
                  [&](CallbackFunction chained, void* with) {
                    return mpi_api().starpu_mpi_irecv_detached_sequential_consistency(
                        data, from, tag, comm, chained, with, is_kept);
                  });
}

PERSEID_HOOK int starpu_mpi_wait(void** request, void* status) {
  const uint64_t before = word(*request);
  const bool is_outermost = !t_word.is_in_message;
  const int result =
      waiting(WaitKind::kForMessage, [&] { return mpi_api().starpu_mpi_wait(request, status); });
  if (is_outermost) emit(kind(kMpiDone), kMpiByRequest, before);
  return result;
}

PERSEID_HOOK int starpu_mpi_wait_for_all(Comm comm) {
  return waiting(WaitKind::kForMpi, [&] { return mpi_api().starpu_mpi_wait_for_all(comm); });
}

PERSEID_HOOK int starpu_mpi_barrier(Comm comm) {
  return waiting(WaitKind::kForMpiBarrier, [&] { return mpi_api().starpu_mpi_barrier(comm); });
}
