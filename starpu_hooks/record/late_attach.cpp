// starpu_hooks/record/late_attach.cpp: rewrites import slots of all loaded files.
//
// Every loaded file calls other files' functions through slots that the loader filled in. Where a
// slot is meant for a function that we hook, we write our own address into it.
#include "starpu_hooks/record/late_attach.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

#include "plugin/record/host_guard.h"
#include "plugin/session/elf_imports.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/starpu/find_starpu.h"

namespace perseid::starpu {

namespace {

struct HookedName {
  const char* name;
  void* ours;
};

void* own_symbol(const char* name) noexcept {
  static void* const self = [] {
    Dl_info facts;
    return dladdr(reinterpret_cast<void*>(&own_symbol), &facts)
               ? dlopen(facts.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
               : nullptr;
  }();
  void* found = self ? dlsym(self, name) : nullptr;
  return found && is_ours(found) ? found : nullptr;
}

constexpr const char* kNames[] = {
#define PERSEID_NAME(result, name, parameters) #name,
    PERSEID_STARPU_HOOKED(PERSEID_NAME)
#undef PERSEID_NAME
        "starpu_tag_declare_deps",
};
constexpr size_t kNameCount = sizeof kNames / sizeof kNames[0];
HookedName g_hooked[kNameCount];

int visit_file(dl_phdr_info* file, size_t, void*) noexcept {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    const uintptr_t at = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(at);
  }
  if (!dynamic || is_ours(dynamic)) return 0;
  ElfImports(file->dlpi_addr, dynamic).each([&](const char* name, void** slot) {
    if (std::strncmp(name, "starpu_", 7) != 0) return;
    for (const HookedName& hooked : g_hooked) {
      if (!hooked.ours || std::strcmp(name, hooked.name) != 0) continue;
      if (*slot != hooked.ours) write_import_slot(slot, hooked.ours);
      return;
    }
  });
  return 0;
}

}  // namespace

void attach_late() noexcept {
  const SystemCallGuard guard;
  void* seen_first = dlsym(RTLD_DEFAULT, "starpu_task_submit");
  const char* file;
  if ((seen_first && is_ours(seen_first)) || !find_library(file)) return;
  for (size_t i = 0; i < kNameCount; ++i) g_hooked[i] = {kNames[i], own_symbol(kNames[i])};
  dl_iterate_phdr(visit_file, nullptr);
}

}  // namespace perseid::starpu
