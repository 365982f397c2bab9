// plugin/session/elf_imports.cpp: walks the dynamic section, relocations and symbols of a loaded
// file.
#include "plugin/session/elf_imports.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "plugin/record/writable.h"

namespace perseid {

ElfImports::ElfImports(uintptr_t base, const ElfW(Dyn) * dynamic) noexcept
    : base_(base), dynamic_(dynamic) {
  // The C library turns the addresses in a dynamic section into absolute ones when it loads the
  // file; in those it did not touch (the vdso) they are still relative.
  const auto absolute = [base](ElfW(Addr) at) { return at < base ? base + at : at; };
  for (const ElfW(Dyn)* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) at = absolute(entry->d_un.d_ptr);
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols_ = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        names_ = reinterpret_cast<const char*>(at);
        break;
      case DT_JMPREL:
        calls_ = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_PLTRELSZ:
        call_bytes_ = entry->d_un.d_val;
        break;
      case DT_RELA:
        others_ = reinterpret_cast<const ElfW(Rela)*>(at);
        break;
      case DT_RELASZ:
        other_bytes_ = entry->d_un.d_val;
        break;
      case DT_VERSYM:
        versions_ = reinterpret_cast<const ElfW(Versym)*>(at);
        break;
      case DT_VERNEED:
        version_names_ = reinterpret_cast<const ElfW(Verneed)*>(at);
        break;
      case DT_SYMBOLIC:
        is_symbolic_ = true;
        break;
      case DT_FLAGS:
        is_symbolic_ = is_symbolic_ || (entry->d_un.d_val & DF_SYMBOLIC) != 0;
        break;
      default:
        break;
    }
  }
}

bool ElfImports::imports(const char* name) const noexcept {
  bool is_found = false;
  each([&](const char* imported, void**) {
    is_found = is_found || std::strcmp(imported, name) == 0;
  });
  return is_found;
}

bool ElfImports::needs(const char* library) const noexcept {
  for (const ElfW(Dyn)* entry = dynamic_; entry && names_ && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED &&
        std::strncmp(names_ + entry->d_un.d_val, library, std::strlen(library)) == 0)
      return true;
  }
  return false;
}

const char* ElfImports::version_from(const char* library, size_t index) const noexcept {
  if (!versions_ || !version_names_) return nullptr;
  const auto below = [](const auto* at, size_t bytes, auto* to) {
    return reinterpret_cast<decltype(to)>(reinterpret_cast<uintptr_t>(at) + bytes);
  };
  constexpr uint16_t kNumberMask = 0x7fff;  // the bit above: not the default version
  const auto wanted = static_cast<uint16_t>(versions_[index] & kNumberMask);
  for (const ElfW(Verneed)* file = version_names_;; file = below(file, file->vn_next, file)) {
    const auto* version = below(file, file->vn_aux, static_cast<const ElfW(Vernaux)*>(nullptr));
    for (unsigned i = 0; i < file->vn_cnt;
         ++i, version = below(version, version->vna_next, version)) {
      if ((version->vna_other & kNumberMask) != wanted) continue;
      return std::strcmp(names_ + file->vn_file, library) == 0 ? names_ + version->vna_name
                                                               : nullptr;
    }
    if (file->vn_next == 0) return nullptr;
  }
}

bool ElfImports::is_import(const ElfW(Rela) & relocation) noexcept {
  const auto type = ELF64_R_TYPE(relocation.r_info);
  if (ELF64_R_SYM(relocation.r_info) == 0 || relocation.r_addend != 0) return false;
#if defined(__x86_64__)
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
#elif defined(__aarch64__)
  return type == R_AARCH64_JUMP_SLOT || type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
#elif defined(__powerpc64__)
  return type == R_PPC64_JMP_SLOT || type == R_PPC64_GLOB_DAT || type == R_PPC64_ADDR64;
#else
  return static_cast<void>(type), false;
#endif
}

void write_import_slot(void** slot, void* value) noexcept {
  const Writability writability = writability_of(slot);
  if (writability == Writability::kUnknown) return;
  const bool is_protected = writability == Writability::kNo;
  const auto page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* page = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) & ~(page_bytes - 1));
  if (is_protected && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(slot, value, __ATOMIC_RELEASE);
  if (is_protected) mprotect(page, page_bytes, PROT_READ);
}

}  // namespace perseid
