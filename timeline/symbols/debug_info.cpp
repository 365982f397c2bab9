// timeline/symbols/debug_info.cpp: own tables over libdw.
//
// libdw's ready-made look-up asks .debug_aranges, which clang does not write, and its search for
// scopes reads a whole unit for each address. One pass over the units and one over the functions
// of those that are asked for is 40 times faster and finds everything.
#include "timeline/symbols/debug_info.h"

#include <dwarf.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/file.h"
#include "timeline/symbols/debug_link.h"
#include "timeline/symbols/libdw.h"

namespace perseid {
namespace {

struct AddressRange {
  uint64_t begin;
  uint64_t end;
  size_t index;  // of a unit or a function
};

/// The range around `address`. Ranges are sorted by their begin; the innermost of nested ones
/// begins last.
const AddressRange* find_range(const std::vector<AddressRange>& ranges, uint64_t address) {
  auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                             [](uint64_t a, const AddressRange& range) { return a < range.begin; });
  while (at != ranges.begin()) {
    --at;
    if (address < at->end) return &*at;
  }
  return nullptr;
}

struct Function {
  Dwarf_Die die;
  std::string_view file;
  int line = 0;
  bool is_outlined = false;  // made by the compiler from the body of a construct
};

struct Unit {
  Dwarf_Die die{};
  bool has_functions = false;
  std::vector<Function> functions;
  std::vector<AddressRange> function_ranges;
  std::unordered_map<Dwarf_Off, std::string> scopes;  // "outer::inner::" of a function's entry
};

std::string_view base_name(const char* path) {
  const std::string_view all = path != nullptr ? path : "";
  return all.substr(all.find_last_of('/') + 1);
}

class LibdwInfo final : public DebugInfo {
 public:
  LibdwInfo(const Libdw& api, Dwarf* dwarf, int fd) : api_(&api), dwarf_(dwarf), fd_(fd) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Half version = 0;
    uint8_t type = 0;
    Dwarf_Die die, split;
    while (api_->get_units(dwarf_, unit, &unit, &version, &type, &die, &split) == 0) {
      if (type != DW_UT_compile && type != DW_UT_partial && type != DW_UT_skeleton) continue;
      add_ranges(die, units_.size(), unit_ranges_);
      units_.push_back({});
      units_.back().die = die;
    }
    sort(unit_ranges_);
  }
  ~LibdwInfo() override {
    api_->end(dwarf_);
    close(fd_);
  }
  LibdwInfo(const LibdwInfo&) = delete;
  LibdwInfo& operator=(const LibdwInfo&) = delete;

  void find(uint64_t address, CodePlace& place) override {
    const AddressRange* const range = find_range(unit_ranges_, address);
    if (range == nullptr) return;
    Unit& unit = units_[range->index];
    if (!unit.has_functions) {
      unit.has_functions = true;
      gather_functions(unit, unit.die, "");
      sort(unit.function_ranges);
    }
    read_line(unit, address, place);
    read_function(unit, address, place);
  }

 private:
  static void sort(std::vector<AddressRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const AddressRange& a, const AddressRange& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
  }

  void add_ranges(Dwarf_Die& die, size_t index, std::vector<AddressRange>& to) {
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = api_->ranges(&die, at, &base, &begin, &end)) > 0;) {
      if (begin < end && begin != 0) to.push_back({begin, end, index});
    }
  }

  const char* text(Dwarf_Die& die, unsigned attribute) {
    Dwarf_Attribute found;
    return api_->formstring(api_->attr_integrate(&die, attribute, &found));
  }

  /// Functions are below namespaces and classes, too.
  void gather_functions(Unit& unit, Dwarf_Die& parent, const std::string& scope) {
    Dwarf_Die die;
    if (api_->child(&parent, &die) != 0) return;
    do {
      switch (api_->tag(&die)) {
        case DW_TAG_subprogram:
          if (!scope.empty()) unit.scopes[api_->dieoffset(&die)] = scope;
          add_function(unit, die);
          gather_functions(unit, die, scope);  // Fortran's contained procedures, local classes
          break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_structure_type:
        case DW_TAG_class_type: {
          const char* const name = text(die, DW_AT_name);
          gather_functions(unit, die, name != nullptr ? scope + name + "::" : scope);
          break;
        }
        case DW_TAG_lexical_block:
          gather_functions(unit, die, scope);
          break;
        default:
          break;
      }
    } while (api_->siblingof(&die, &die) == 0);
  }

  void add_function(Unit& unit, Dwarf_Die& die) {
    const bool is_definition = api_->hasattr(&die, DW_AT_low_pc) ||
                               api_->hasattr(&die, DW_AT_ranges) ||
                               api_->hasattr(&die, DW_AT_inline);
    if (is_definition) {
      // libdw 0.188 reads file 0 of DWARF 5, the unit's own source, as none.
      const char* const declared = api_->decl_file(&die);
      const char* const file = declared != nullptr ? declared : text(unit.die, DW_AT_name);
      Function function{die, base_name(file), 0, false};
      api_->decl_line(&die, &function.line);
      function.is_outlined = name_of(unit, die).empty();
      add_ranges(die, unit.functions.size(), unit.function_ranges);
      unit.functions.push_back(function);
    }
  }

  /// gcc gives a function that only its own file sees no linkage name: where the entry is shows
  /// what it belongs to. Copies of a function, inlined or not, refer to the original.
  const std::string& scope_of(Unit& unit, Dwarf_Die& die) {
    static const std::string kNone;
    Dwarf_Die original = die, next;
    constexpr int kMaxSteps = 4;
    for (int i = 0; i < kMaxSteps; ++i) {
      Dwarf_Attribute found;
      const unsigned reference = api_->hasattr(&original, DW_AT_abstract_origin)
                                     ? DW_AT_abstract_origin
                                     : DW_AT_specification;
      if (!api_->hasattr(&original, reference)) break;
      if (!api_->formref_die(api_->attr(&original, reference, &found), &next)) break;
      original = next;
    }
    const auto scope = unit.scopes.find(api_->dieoffset(&original));
    return scope != unit.scopes.end() ? scope->second : kNone;
  }

  std::string name_of(Unit& unit, Dwarf_Die& die) {
    const char* const linkage = text(die, DW_AT_linkage_name);
    if (linkage != nullptr) {
      std::string shown = shown_function(linkage);
      if (!shown.empty()) return shown;
    }
    const char* const name = text(die, DW_AT_name);
    const std::string shown = name != nullptr ? shown_function(name) : std::string();
    const bool is_mangled = shown.empty() || std::string_view(name).starts_with("_Z");
    return is_mangled ? shown : scope_of(unit, die) + shown;
  }

  void read_line(Unit& unit, uint64_t address, CodePlace& place) {
    Dwarf_Line* const line = api_->getsrc_die(&unit.die, address);
    if (line == nullptr) return;
    int number = 0;
    api_->lineno(line, &number);
    place.line = number;
    place.file = base_name(api_->linesrc(line, nullptr, nullptr));
  }

  /// The innermost inlined function around the address is the one that a reader sees there.
  bool find_inlined(Unit& unit, Dwarf_Die& parent, uint64_t address, Dwarf_Die& found) {
    Dwarf_Die die;
    if (api_->child(&parent, &die) != 0) return false;
    do {
      const int tag = api_->tag(&die);
      if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
      if (api_->haspc(&die, address) <= 0) continue;
      if (find_inlined(unit, die, address, found)) return true;
      if (tag != DW_TAG_inlined_subroutine || name_of(unit, die).empty()) return false;
      found = die;
      return true;
    } while (api_->siblingof(&die, &die) == 0);
    return false;
  }

  void read_function(Unit& unit, uint64_t address, CodePlace& place) {
    const AddressRange* const range = find_range(unit.function_ranges, address);
    if (range == nullptr) return;
    Function& function = unit.functions[range->index];
    // Who asks for a function's first instruction means the function, whatever is inlined there.
    const bool is_entry = address == range->begin && !function.is_outlined;
    if ((place.line == 0 || is_entry) && function.line > 0) {
      place.line = function.line;
      place.file = function.file;
    }
    Dwarf_Die inlined;
    if (!is_entry && find_inlined(unit, function.die, address, inlined)) {
      place.function = name_of(unit, inlined);
    } else if (function.is_outlined) {
      place.function = function_around(unit, place);
    } else {
      place.function = name_of(unit, function.die);
    }
  }

  /// clang before 17 gives the body of a construct a name of its own, without a word about the
  /// function that contains it: that is the last one to begin before the line.
  std::string function_around(Unit& unit, const CodePlace& place) {
    Function* around = nullptr;
    for (Function& function : unit.functions) {
      if (function.is_outlined || function.line == 0 || function.line > place.line) continue;
      if (function.file != place.file) continue;
      if (around == nullptr || function.line > around->line) around = &function;
    }
    return around != nullptr ? name_of(unit, around->die) : std::string();
  }

  const Libdw* api_;
  Dwarf* dwarf_;
  int fd_;
  std::vector<Unit> units_;
  std::vector<AddressRange> unit_ranges_;
};

std::string build_id_of(const Libdw& api, Dwarf* dwarf) {
  const void* bytes = nullptr;
  const ssize_t size = api.build_id(api.getelf(dwarf), &bytes);
  std::string text;
  for (ssize_t i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto byte = static_cast<const unsigned char*>(bytes)[i];
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::unique_ptr<DebugInfo> open_file(const Libdw& api, const std::string& path,
                                     const std::string& build_id) {
  File file(path);  // a capture may name anything: a FIFO, a device
  if (!file.is_open()) return nullptr;
  const int fd = file.release();
  Dwarf* const dwarf = api.begin(fd, DWARF_C_READ);
  if (dwarf == nullptr) {
    close(fd);
    return nullptr;
  }
  if (!build_id.empty() && build_id_of(api, dwarf) != build_id) {
    api.end(dwarf);
    close(fd);
    return nullptr;
  }
  return std::make_unique<LibdwInfo>(api, dwarf, fd);
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::open(const Module& module) {
  const Libdw* const api = find_libdw();
  if (api == nullptr) return nullptr;
  if (auto own = open_file(*api, module.path, module.build_id)) return own;
  for (const std::string& separate : separate_debug_files(module)) {
    if (auto found = open_file(*api, separate, module.build_id)) return found;
  }
  return nullptr;
}

}  // namespace perseid
