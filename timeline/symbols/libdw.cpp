// timeline/symbols/libdw.cpp: opens libdw and looks up its functions.
#include "timeline/symbols/libdw.h"

#include <dlfcn.h>

namespace perseid {
namespace {

template <class Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool load(Libdw& api) noexcept {
  void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
  return library != nullptr && find(library, "dwarf_begin", api.begin) &&
         find(library, "dwarf_end", api.end) && find(library, "dwarf_getelf", api.getelf) &&
         find(library, "dwarf_get_units", api.get_units) &&
         find(library, "dwarf_ranges", api.ranges) &&
         find(library, "dwarf_getsrc_die", api.getsrc_die) &&
         find(library, "dwarf_lineno", api.lineno) && find(library, "dwarf_linesrc", api.linesrc) &&
         find(library, "dwarf_child", api.child) &&
         find(library, "dwarf_siblingof", api.siblingof) && find(library, "dwarf_tag", api.tag) &&
         find(library, "dwarf_haspc", api.haspc) && find(library, "dwarf_attr", api.attr) &&
         find(library, "dwarf_attr_integrate", api.attr_integrate) &&
         find(library, "dwarf_hasattr", api.hasattr) &&
         find(library, "dwarf_formstring", api.formstring) &&
         find(library, "dwarf_formref_die", api.formref_die) &&
         find(library, "dwarf_dieoffset", api.dieoffset) &&
         find(library, "dwarf_decl_file", api.decl_file) &&
         find(library, "dwarf_decl_line", api.decl_line) &&
         find(library, "dwelf_elf_gnu_build_id", api.build_id);
}

}  // namespace

const Libdw* find_libdw() noexcept {
  static Libdw api{};
  static const bool is_there = load(api);
  return is_there ? &api : nullptr;
}

}  // namespace perseid
