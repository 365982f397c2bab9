// starpu_hooks/record/starpu/starpu_mpi_api.h: StarPU-MPI's functions, found at run time.
#pragma once

#include <cstdint>

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// An MPI communicator: a pointer or an int, passed on as it came.
using Comm = uint64_t;
using MpiTag = int64_t;

// X(return type, name, parameters). The first twelve start a message.
#define PERSEID_STARPU_MPI_HOOKED(X)                                                               \
  X(int, starpu_mpi_isend, (Data*, void**, int, MpiTag, Comm))                                     \
  X(int, starpu_mpi_isend_prio, (Data*, void**, int, MpiTag, int, Comm))                           \
  X(int, starpu_mpi_issend, (Data*, void**, int, MpiTag, Comm))                                    \
  X(int, starpu_mpi_issend_prio, (Data*, void**, int, MpiTag, int, Comm))                          \
  X(int, starpu_mpi_irecv, (Data*, void**, int, MpiTag, Comm))                                     \
  X(int, starpu_mpi_send, (Data*, int, MpiTag, Comm))                                              \
  X(int, starpu_mpi_send_prio, (Data*, int, MpiTag, int, Comm))                                    \
  X(int, starpu_mpi_recv, (Data*, int, MpiTag, Comm, void*))                                       \
  X(int, starpu_mpi_isend_detached, (Data*, int, MpiTag, Comm, CallbackFunction, void*))           \
  X(int, starpu_mpi_isend_detached_prio, (Data*, int, MpiTag, int, Comm, CallbackFunction, void*)) \
  X(int, starpu_mpi_issend_detached, (Data*, int, MpiTag, Comm, CallbackFunction, void*))          \
  X(int, starpu_mpi_issend_detached_prio,                                                          \
    (Data*, int, MpiTag, int, Comm, CallbackFunction, void*))                                      \
  X(int, starpu_mpi_irecv_detached, (Data*, int, MpiTag, Comm, CallbackFunction, void*))           \
  X(int, starpu_mpi_irecv_detached_prio, (Data*, int, MpiTag, int, Comm, CallbackFunction, void*)) \
  X(int, starpu_mpi_irecv_detached_sequential_consistency,                                         \
    (Data*, int, MpiTag, Comm, CallbackFunction, void*, int))                                      \
  X(int, starpu_mpi_wait, (void**, void*))                                                         \
  X(int, starpu_mpi_wait_for_all, (Comm))                                                          \
  X(int, starpu_mpi_barrier, (Comm))

struct StarpuMpiApi {
#define PERSEID_MEMBER(result, name, parameters) result(*name) parameters = nullptr;
  PERSEID_STARPU_MPI_HOOKED(PERSEID_MEMBER)
#undef PERSEID_MEMBER
  int (*starpu_mpi_comm_rank)(Comm, int*) = nullptr;
};

/// An empty table if StarPU-MPI is not loaded.
const StarpuMpiApi& mpi_api() noexcept;

}  // namespace perseid::starpu
