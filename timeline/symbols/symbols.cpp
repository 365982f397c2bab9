// timeline/symbols/symbols.cpp: from a code address to its module, function and source line.
#include "timeline/symbols/symbols.h"

#include <sys/stat.h>

#include "timeline/symbols/debug_info.h"
#include "timeline/symbols/debug_link.h"
#include "timeline/symbols/symbol_table.h"

namespace perseid {
namespace {

/// Runtimes of clang, of Intel's compilers and of NVIDIA's.
bool is_openmp_runtime(std::string_view file_name) {
  for (const std::string_view name :
       {"libomp.so", "libomp-", "libomp5", "libiomp5.so", "libomptarget", "libnvomp.so"}) {
    if (file_name.starts_with(name)) return true;
  }
  return false;
}

SymbolTable symbols_of(const Module& module, bool has_debug_info) {
  SymbolTable own(module.path, module.build_id);
  if (!own.is_stripped() || has_debug_info) return own;
  for (const std::string& path : separate_debug_files(module)) {
    SymbolTable separate(path, module.build_id);
    if (!separate.is_stripped() && separate.size() > 0) return separate;
  }
  return own;
}

}  // namespace

struct Symbols::Source {
  std::unique_ptr<DebugInfo> debug_info;
  SymbolTable symbols;
  uint64_t unnamed = 0;  // places in it
};

Symbols::Symbols(std::string_view modules_text, bool may_load_libraries)
    : modules_(modules_text), may_load_libraries_(may_load_libraries) {}

Symbols::~Symbols() = default;

const CodePlace& Symbols::caller(uint64_t return_address, uint64_t ticks) {
  // The instruction at a return address may belong to the next line, or to the next function.
  return look_up(return_address - (return_address != 0 ? 1 : 0), return_address, ticks);
}

const CodePlace& Symbols::function(uint64_t address, uint64_t ticks) {
  return look_up(address, address, ticks);
}

const CodePlace& Symbols::look_up(uint64_t address, uint64_t asked, uint64_t ticks) {
  const Module* const module = modules_.find(address, ticks);
  const auto [at, is_new] = places_[module].try_emplace(address);
  CodePlace& place = at->second;
  if (!is_new || module == nullptr) return place;
  place.module = module->file_name();
  place.offset = asked - module->bias;
  place.is_runtime = is_openmp_runtime(place.module);
  if (place.is_runtime) return place;  // large, without debug information, and of no interest
  Source& source = source_of(*module);
  if (source.debug_info) source.debug_info->find(address - module->bias, place);
  if (place.function.empty()) {
    place.function = shown_function(source.symbols.function_at(address - module->bias));
  }
  if (place.function.empty() && place.line == 0) ++source.unnamed;
  return place;
}

Symbols::Source& Symbols::source_of(const Module& module) {
  Source*& known = source_of_[&module];
  if (known != nullptr) return *known;
  struct stat file {};  // zeros for one that is gone: debug information may still be elsewhere
  ::stat(module.path.c_str(), &file);
  std::unique_ptr<Source>& source = sources_[{file.st_dev, file.st_ino, module.build_id}];
  if (!source) {
    source = std::make_unique<Source>();
    if (may_load_libraries_) source->debug_info = DebugInfo::open(module);
    source->symbols = symbols_of(module, source->debug_info != nullptr);
  }
  known = source.get();
  return *known;
}

std::string Symbols::stripped_module() const {
  const Module* found = nullptr;
  uint64_t most = 0;
  for (const auto& [module, source] : source_of_) {
    if (!source || source->debug_info || !source->symbols.is_stripped()) continue;
    if (source->unnamed == 0 || source->unnamed < most) continue;
    // The order of the table is no order: of equals the first by name.
    if (source->unnamed == most && module->file_name() > found->file_name()) continue;
    most = source->unnamed;
    found = module;
  }
  return found ? std::string(found->file_name()) : std::string();
}

}  // namespace perseid
