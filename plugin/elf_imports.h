// plugin/elf_imports.h: the functions a loaded file imports, and the slots it calls them by.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace perseid {

/// A loaded ELF file, read through its dynamic section in memory.
class ElfImports {
 public:
  ElfImports(uintptr_t base, const ElfW(Dyn) * dynamic) noexcept;

  /// Calls visit(name, slot) for each imported symbol; `slot` holds the address that calls use.
  template <class Visit>
  void each(Visit visit) const noexcept {
    each_in(calls_, call_bytes_, visit);
    each_in(others_, other_bytes_, visit);
  }

  bool imports(const char* name) const noexcept;

  /// Linked with -Bsymbolic: it does not look for its own functions elsewhere.
  bool is_symbolic() const noexcept { return is_symbolic_; }

 private:
  template <class Visit>
  void each_in(const ElfW(Rela) * relocations, size_t bytes, Visit visit) const noexcept {
    if (!relocations || !symbols_ || !names_) return;
    for (size_t i = 0; i < bytes / sizeof *relocations; ++i) {
      const ElfW(Rela)& one = relocations[i];
      if (!is_import(one)) continue;
      const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(one.r_info)];
      visit(names_ + symbol.st_name, reinterpret_cast<void**>(base_ + one.r_offset));
    }
  }
  static bool is_import(const ElfW(Rela) & relocation) noexcept;

  uintptr_t base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const ElfW(Rela) * calls_ = nullptr;
  const ElfW(Rela) * others_ = nullptr;
  size_t call_bytes_ = 0;
  size_t other_bytes_ = 0;
  bool is_symbolic_ = false;
};

/// Makes the calls through `slot` go to `value`. The slot's page is opened for that moment where
/// the loader has protected it (-z relro, -z now); a slot that cannot be written stays as it is.
void write_import_slot(void** slot, void* value) noexcept;

}  // namespace perseid
