// plugin/session/loaded_files.cpp: dl_iterate_phdr, with the ELF imports of each file.
#include "plugin/session/loaded_files.h"

namespace perseid {

bool LoadedElf::contains(const void* address) const noexcept {
  const auto at = reinterpret_cast<uintptr_t>(address);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && at >= begin && at - begin < segment.p_memsz) return true;
  }
  return false;
}

bool is_loaded(const char* name) noexcept {
  bool is_found = false;
  each_loaded_file([&](const LoadedElf& file) {
    is_found = !file.is_program() && std::strncmp(file.name(), name, std::strlen(name)) == 0;
    return !is_found;
  });
  return is_found;
}

}  // namespace perseid
