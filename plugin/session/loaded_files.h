// plugin/session/loaded_files.h: the program and the libraries that the loader has brought into the
// process.
#pragma once

#include <link.h>

#include <cstring>

#include "plugin/session/elf_imports.h"

namespace perseid {

struct LoadedElf {
  const char* path;  // as the loader knows it: empty for the program itself
  const dl_phdr_info& info;
  ElfImports imports;

  bool is_program() const noexcept { return path[0] == '\0'; }
  /// Without directories.
  const char* name() const noexcept {
    const char* const slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
  }
  bool contains(const void* address) const noexcept;
};

/// Calls visit(const LoadedElf&) for each file, the program first, until one returns false. The
/// loader's list is locked meanwhile.
template <class Visit>
void each_loaded_file(Visit visit) noexcept {
  const auto forward = [](dl_phdr_info* info, size_t, void* argument) noexcept {
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    }
    if (!dynamic) return 0;
    const LoadedElf file{info->dlpi_name ? info->dlpi_name : "", *info,
                         ElfImports(info->dlpi_addr, dynamic)};
    return (*static_cast<Visit*>(argument))(file) ? 0 : 1;
  };
  dl_iterate_phdr(forward, &visit);
}

/// A library whose file name begins so is loaded.
bool is_loaded(const char* name) noexcept;

}  // namespace perseid
