// starpu_hooks/record/starpu/starpu_api.cpp: dlsym of each function after ours in the search order.
#include "starpu_hooks/record/starpu/starpu_api.h"

#include <dlfcn.h>
#include <sched.h>

#include "plugin/record/host_guard.h"
#include "starpu_hooks/record/starpu/find_starpu.h"

namespace perseid::starpu {

namespace {

constinit StarpuApi g_table{};
constinit StarpuApi g_nothing{};
constinit std::atomic<bool> g_is_filling{false};

/// What the symbol would be without us. Another tool may be between us and StarPU: it keeps
/// its turn.
void* original(void* library, const char* name) noexcept {
  void* next = dlsym(RTLD_NEXT, name);
  if (next && !is_ours(next)) return next;
  void* found = dlsym(library, name);
  return found && !is_ours(found) ? found : nullptr;
}

bool fill(StarpuApi& table) noexcept {
  const char* file;
  void* library = find_library(file);
  if (!library) return false;
#define PERSEID_FILL(result, name, parameters) \
  table.name = reinterpret_cast<decltype(table.name)>(original(library, #name));
  PERSEID_STARPU_HOOKED(PERSEID_FILL)
  PERSEID_STARPU_CALLED(PERSEID_FILL)
#undef PERSEID_FILL
  return true;
}

}  // namespace

const StarpuApi& find_api() noexcept {
  const SystemCallGuard guard;
  while (g_is_filling.exchange(true, std::memory_order_acquire)) sched_yield();
  if (!g_api.load(std::memory_order_relaxed) && fill(g_table))
    g_api.store(&g_table, std::memory_order_release);
  g_is_filling.store(false, std::memory_order_release);
  const StarpuApi* found = g_api.load(std::memory_order_relaxed);
  return found ? *found : g_nothing;
}

bool is_complete(const StarpuApi& api) noexcept {
  bool is_all = true;
#define PERSEID_CHECK(result, name, parameters) is_all = is_all && api.name != nullptr;
  PERSEID_STARPU_CALLED(PERSEID_CHECK)
#undef PERSEID_CHECK
  return is_all;
}

}  // namespace perseid::starpu
