// plugin/session/elf_imports.h: the functions a loaded file imports, and the slots it calls them
// by.
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
    each_index([&](size_t index, void** slot) { visit(name_of(index), slot); });
  }

  /// Calls visit(name, version, slot) for each symbol that is wanted from `library` by a version,
  /// as in "GOMP_parallel@GOMP_4.0 from libgomp.so.1".
  template <class Visit>
  void each_from(const char* library, Visit visit) const noexcept {
    each_index([&](size_t index, void** slot) {
      if (const char* version = version_from(library, index)) visit(name_of(index), version, slot);
    });
  }

  /// `library` is in the file's own list of libraries, by this name or by one that begins so.
  bool needs(const char* library) const noexcept;

  bool imports(const char* name) const noexcept;

  /// Linked with -Bsymbolic: it does not look for its own functions elsewhere.
  bool is_symbolic() const noexcept { return is_symbolic_; }

 private:
  template <class Visit>
  void each_index(Visit visit) const noexcept {
    if (!symbols_ || !names_) return;
    each_in(calls_, call_bytes_, visit);
    each_in(others_, other_bytes_, visit);
  }
  template <class Visit>
  void each_in(const ElfW(Rela) * relocations, size_t bytes, Visit visit) const noexcept {
    for (size_t i = 0; relocations && i < bytes / sizeof *relocations; ++i) {
      const ElfW(Rela)& one = relocations[i];
      if (!is_import(one)) continue;
      visit(ELF64_R_SYM(one.r_info), reinterpret_cast<void**>(base_ + one.r_offset));
    }
  }
  const char* name_of(size_t index) const noexcept { return names_ + symbols_[index].st_name; }
  /// Null: the symbol has no version, or it is another library's.
  const char* version_from(const char* library, size_t index) const noexcept;
  static bool is_import(const ElfW(Rela) & relocation) noexcept;

  uintptr_t base_;
  const ElfW(Dyn) * dynamic_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const ElfW(Rela) * calls_ = nullptr;
  const ElfW(Rela) * others_ = nullptr;
  const ElfW(Versym) * versions_ = nullptr;        // of each symbol
  const ElfW(Verneed) * version_names_ = nullptr;  // a chain: for each library its versions
  size_t call_bytes_ = 0;
  size_t other_bytes_ = 0;
  bool is_symbolic_ = false;
};

/// Makes the calls through `slot` go to `value`. The slot's page is made writable for the store
/// where the loader has protected it (-z relro, -z now); a slot that cannot be written stays as it
/// is.
void write_import_slot(void** slot, void* value) noexcept;

}  // namespace perseid
