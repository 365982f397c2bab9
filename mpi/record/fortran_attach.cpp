// mpi/record/fortran_attach.cpp: rewrites import slots of Open MPI's Fortran libraries.
//
// A loaded file calls other files' functions through slots that the loader fills in. In Open MPI's
// Fortran libraries, a slot meant for PMPI_Send gets the address of our MPI_Send.
#include "mpi/record/fortran_attach.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "mpi/record/hook.h"
#include "plugin/record/host_guard.h"
#include "plugin/record/modules.h"
#include "plugin/session/elf_imports.h"

namespace perseid::mpi {

namespace {

constexpr const char* kHooked[] = {
#define PERSEID_NAME(name, ...) #name,
    PERSEID_MPI_OPERATIONS(PERSEID_NAME) PERSEID_MPI_OTHERS(PERSEID_NAME)
#undef PERSEID_NAME
};
constexpr size_t kHookedCount = sizeof kHooked / sizeof kHooked[0];

struct Hooks {
  void* ours[kHookedCount];  // in the order of kHooked; null: leave it alone
};

bool is_fortran_library(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  return std::strncmp(name, "libmpi_mpifh", 12) == 0 ||
         std::strncmp(name, "libmpi_usempi", 13) == 0;
}

int visit(dl_phdr_info* file, size_t, void* context) noexcept {
  if (!is_fortran_library(file->dlpi_name)) return 0;
  const auto& hooks = *static_cast<const Hooks*>(context);
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    if (segment.p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(file->dlpi_addr + segment.p_vaddr);
  }
  if (!dynamic) return 0;
  ElfImports(file->dlpi_addr, dynamic).each([&](const char* name, void** slot) {
    if (std::strncmp(name, "PMPI_", 5) != 0) return;
    for (size_t i = 0; i < kHookedCount; ++i) {
      if (!hooks.ours[i] || std::strcmp(name + 1, kHooked[i]) != 0) continue;
      write_import_slot(slot, hooks.ours[i]);
      return;
    }
  });
  return 0;
}

}  // namespace

void attach_fortran() noexcept {
  const SystemCallGuard guard;
  const CodeRange own = code_range_of(reinterpret_cast<void*>(&attach_fortran));
  Hooks hooks{};
  for (size_t i = 0; i < kHookedCount; ++i) {
    // Only where calls of a C program reach our hooks, too.
    void* first = dlsym(RTLD_DEFAULT, kHooked[i]);
    if (first && own.contains(reinterpret_cast<uint64_t>(first))) hooks.ours[i] = first;
  }
  dl_iterate_phdr(visit, &hooks);
}

}  // namespace perseid::mpi
