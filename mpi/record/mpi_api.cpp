// mpi/record/mpi_api.cpp: finds out the family of the MPI and fills the table of functions.
#include "mpi/record/mpi_api.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>

#include <climits>
#include <cstring>

#include "plugin/record/host_guard.h"
#include "plugin/record/modules.h"
#include "plugin/session/message.h"
#include "plugin/settings/text_buffer.h"

namespace perseid::mpi {

namespace {

constinit MpiApi g_table{};
constinit MpiApi g_nothing{};
constinit std::atomic<bool> g_is_filling{false};
constinit std::atomic<bool> g_has_starpu_range{false};
constinit CodeRange g_starpu_mpi{};

struct LoadedFile {
  const char* prefix;
  char path[PATH_MAX];
  uintptr_t base;
};

/// The walk over loaded files must not load any: paths first, then dlopen.
int match(dl_phdr_info* file, size_t, void* context) noexcept {
  auto& wanted = *static_cast<LoadedFile*>(context);
  const char* slash = std::strrchr(file->dlpi_name, '/');
  const char* name = slash ? slash + 1 : file->dlpi_name;
  if (std::strncmp(name, wanted.prefix, std::strlen(wanted.prefix)) != 0) return 0;
  TextBuffer(wanted.path).add(file->dlpi_name);
  wanted.base = file->dlpi_addr;
  return 1;
}

/// MPI may have been loaded for one plugin only, where RTLD_NEXT does not reach.
void* find_library() noexcept {
  for (const char* prefix : {"libmpi.so", "libmpich.so", "libmpi_"}) {
    LoadedFile file{prefix, "", 0};
    if (!dl_iterate_phdr(match, &file)) continue;
    void* library = dlopen(file.path, RTLD_LAZY | RTLD_NOLOAD);
    if (library && dlsym(library, "PMPI_Send")) return library;
  }
  return nullptr;
}

struct Finder {
  CodeRange ours;
  void* library;

  /// Another tool may be between us and MPI: it keeps its turn.
  Function original(const char* name) const noexcept {
    void* next = dlsym(RTLD_NEXT, name);
    if (next && !ours.contains(reinterpret_cast<uint64_t>(next))) return Function(next);
    void* found = library ? dlsym(library, name) : nullptr;
    return Function(found && !ours.contains(reinterpret_cast<uint64_t>(found)) ? found : nullptr);
  }
  /// An object, not a function: the program may have a copy of its own, which then is the one.
  Word address(const char* name) const noexcept {
    void* found = dlsym(RTLD_DEFAULT, name);
    if (!found && library) found = dlsym(library, name);
    return reinterpret_cast<Word>(found);
  }
};

/// The constants of Open MPI are addresses of objects; those of MPICH's ABI are in its headers.
void find_family(MpiApi& table, const Finder& finder) noexcept {
  table.comm_world = finder.address("ompi_mpi_comm_world");
  if (table.comm_world) {
    table.family = Family::kOpenMpi;
    table.comm_null = finder.address("ompi_mpi_comm_null");
    table.request_null = finder.address("ompi_request_null");
    table.byte_type = finder.address("ompi_mpi_byte");
    return;
  }
  char version[8192] = "";  // MPI_MAX_LIBRARY_VERSION_STRING of MPICH
  int length = 0;
  if (!table.PMPI_Get_library_version || table.PMPI_Get_library_version(version, &length) != 0)
    return;
  for (const char* relative : {"MPICH", "MVAPICH", "Intel(R) MPI"}) {
    if (!std::strstr(version, relative)) continue;
    table.family = Family::kMpich;
    table.comm_world = 0x44000000;
    table.comm_null = 0x04000000;
    table.request_null = 0x2c000000;
    table.byte_type = 0x4c00010d;
  }
}

bool fill(MpiApi& table) noexcept {
  const Finder finder{code_range_of(reinterpret_cast<void*>(&fill)), find_library()};
#define PERSEID_FILL(name) table.name = finder.original(#name);
#define PERSEID_FILL_OPERATION(name, call_kind) table.name = finder.original(#name);
  PERSEID_MPI_OPERATIONS(PERSEID_FILL_OPERATION)
  PERSEID_MPI_OTHERS(PERSEID_FILL)
  PERSEID_MPI_CALLED(PERSEID_FILL)
#undef PERSEID_FILL_OPERATION
#undef PERSEID_FILL
  if (!table.MPI_Init) return false;
  find_family(table, finder);
  if (table.family == Family::kUnknown)
    warn("this MPI is neither Open MPI nor based on MPICH: its calls are not traced");
  return true;
}

}  // namespace

const MpiApi& find_api() noexcept {
  const SystemCallGuard guard;
  while (g_is_filling.exchange(true, std::memory_order_acquire)) sched_yield();
  if (!g_api.load(std::memory_order_relaxed) && fill(g_table))
    g_api.store(&g_table, std::memory_order_release);
  g_is_filling.store(false, std::memory_order_release);
  const MpiApi* found = g_api.load(std::memory_order_relaxed);
  return found ? *found : g_nothing;
}

bool is_starpu_mpi(const void* caller) noexcept {
  if (!g_has_starpu_range.load(std::memory_order_acquire)) {
    const SystemCallGuard guard;
    while (g_is_filling.exchange(true, std::memory_order_acquire)) sched_yield();
    if (!g_has_starpu_range.load(std::memory_order_relaxed)) {
      LoadedFile file{"libstarpumpi-", "", 0};
      if (dl_iterate_phdr(match, &file))
        g_starpu_mpi = code_range_of(reinterpret_cast<void*>(file.base));
      g_has_starpu_range.store(true, std::memory_order_release);
    }
    g_is_filling.store(false, std::memory_order_release);
  }
  return g_starpu_mpi.contains(reinterpret_cast<uint64_t>(caller));
}

}  // namespace perseid::mpi
