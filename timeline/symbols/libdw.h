// timeline/symbols/libdw.h: the functions of elfutils' libdw, found at run time.
//
// Never linked: the library that enters the host must not bring it along, and a timeline without
// source lines is better than none.
#pragma once

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <libelf.h>

namespace perseid {

struct Libdw {
  decltype(&::dwarf_begin) begin;
  decltype(&::dwarf_end) end;
  decltype(&::dwarf_getelf) getelf;
  decltype(&::dwarf_get_units) get_units;
  decltype(&::dwarf_ranges) ranges;
  decltype(&::dwarf_getsrc_die) getsrc_die;
  decltype(&::dwarf_lineno) lineno;
  decltype(&::dwarf_linesrc) linesrc;
  decltype(&::dwarf_child) child;
  decltype(&::dwarf_siblingof) siblingof;
  decltype(&::dwarf_tag) tag;
  decltype(&::dwarf_haspc) haspc;
  decltype(&::dwarf_attr) attr;
  decltype(&::dwarf_attr_integrate) attr_integrate;
  decltype(&::dwarf_hasattr) hasattr;
  decltype(&::dwarf_formstring) formstring;
  decltype(&::dwarf_formref_die) formref_die;
  decltype(&::dwarf_dieoffset) dieoffset;
  decltype(&::dwarf_decl_file) decl_file;
  decltype(&::dwarf_decl_line) decl_line;
  decltype(&::dwelf_elf_gnu_build_id) build_id;
};

/// Null if this machine has no libdw. Loaded once per process.
const Libdw* find_libdw() noexcept;

}  // namespace perseid
