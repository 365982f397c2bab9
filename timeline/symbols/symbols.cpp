// timeline/symbols/symbols.cpp: see symbols.h.
#include "timeline/symbols/symbols.h"

#include <sys/stat.h>

#include "timeline/symbols/debug_info.h"
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

}  // namespace

struct Symbols::Source {
  std::unique_ptr<DebugInfo> debug_info;
  SymbolTable symbols;
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
    source->symbols = SymbolTable(module.path, module.build_id);
  }
  known = source.get();
  return *known;
}

}  // namespace perseid
