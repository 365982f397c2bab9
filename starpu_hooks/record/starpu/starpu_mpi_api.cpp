// starpu_hooks/record/starpu/starpu_mpi_api.cpp: dlsym of each function after ours in the search
// order.
#include "starpu_hooks/record/starpu/starpu_mpi_api.h"

#include <dlfcn.h>
#include <sched.h>

#include "plugin/record/host_guard.h"
#include "starpu_hooks/record/starpu/find_starpu.h"

namespace perseid::starpu {

namespace {

constinit StarpuMpiApi g_table{};
constinit StarpuMpiApi g_nothing{};
constinit std::atomic<const StarpuMpiApi*> g_mpi_api{nullptr};
constinit std::atomic<bool> g_is_filling{false};

template <class F>
void find(F& function, const char* name) noexcept {
  void* next = dlsym(RTLD_NEXT, name);
  if (next && !is_ours(next)) function = reinterpret_cast<F>(next);
}

bool fill(StarpuMpiApi& table) noexcept {
#define PERSEID_FILL(result, name, parameters) find(table.name, #name);
  PERSEID_STARPU_MPI_HOOKED(PERSEID_FILL)
#undef PERSEID_FILL
  find(table.starpu_mpi_comm_rank, "starpu_mpi_comm_rank");
  return table.starpu_mpi_isend != nullptr && table.starpu_mpi_comm_rank != nullptr;
}

}  // namespace

const StarpuMpiApi& mpi_api() noexcept {
  if (const StarpuMpiApi* found = g_mpi_api.load(std::memory_order_acquire)) return *found;
  const SystemCallGuard guard;
  while (g_is_filling.exchange(true, std::memory_order_acquire)) sched_yield();
  if (!g_mpi_api.load(std::memory_order_relaxed) && fill(g_table))
    g_mpi_api.store(&g_table, std::memory_order_release);
  g_is_filling.store(false, std::memory_order_release);
  const StarpuMpiApi* found = g_mpi_api.load(std::memory_order_relaxed);
  return found ? *found : g_nothing;
}

}  // namespace perseid::starpu
