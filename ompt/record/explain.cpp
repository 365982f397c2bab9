// ompt/record/explain.cpp: why a program's OpenMP is not in its timeline, from what it had loaded.
#include <cstdlib>
#include <cstring>

#include "ompt/record/hooks.h"
#include "plugin/session/loaded_files.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"

namespace perseid::ompt {
namespace {

struct OpenmpUse {
  bool is_linked = false;   // to a runtime, whichever
  bool is_libgomp = false;  // and parallel regions or tasks went to GCC's
  FixedText<256> library;   // the file that called it; empty: the program itself
};

bool is_libgomps(const void* address) noexcept {
  bool is_found = false;
  each_loaded_file([&](const LoadedElf& file) {
    if (!file.contains(address)) return true;
    is_found = std::strcmp(file.name(), kLibgomp) == 0;
    return false;
  });
  return is_found;
}

/// Many libraries bring libgomp along without a use for it. A call shows in the file's slot, which
/// the loader fills at the first call; where it fills all slots at the start (-z now), every file
/// that imports GOMP_parallel counts as one who calls it.
bool calls_libgomp(const ElfImports& imports) noexcept {
  bool is_found = false;
  imports.each_from(kLibgomp, [&](const char* name, const char*, void** slot) {
    if (is_found || std::strncmp(name, "GOMP_", 5) != 0) return;
    is_found = is_libgomps(*slot);
  });
  return is_found;
}

void find_use(OpenmpUse& use) noexcept {
  each_loaded_file([&](const LoadedElf& file) {
    const bool is_gcc = file.imports.needs(kLibgomp);
    use.is_linked = use.is_linked || is_gcc || file.imports.needs("libomp.so") ||
                    file.imports.needs("libiomp5.so");
    if (!is_gcc || !calls_libgomp(file.imports)) return true;
    use.is_libgomp = true;
    use.library << file.name();
    return false;
  });
}

bool are_tools_disabled() noexcept {
  const char* const value = std::getenv("OMP_TOOL");
  return value && std::strcmp(value, "disabled") == 0;
}

}  // namespace

void explain(bool has_recorded) noexcept {
  if (!g_origin.settings.openmp) return;
  OpenmpUse use;
  find_use(use);
  Line line;
  line << ProgramName().text;
  if (use.is_libgomp && g_keeps_libgomp) {
    report_unrecorded(Unrecorded::kReported, "");
  } else if (use.is_libgomp) {
    line << " uses GCC's libgomp";
    if (use.library.size() > 0) line << " (through " << use.library.c_str() << ')';
    line << ", which has no tools interface; build it with clang, or run it on LLVM's runtime: "
            "perseid run --openmp=llvm";
    report_unrecorded(Unrecorded::kUsed, line.c_str());
  } else if (use.is_linked && !has_recorded && g_started_in == 0 && are_tools_disabled()) {
    line << " has OpenMP tools disabled; unset OMP_TOOL=disabled";
    report_unrecorded(Unrecorded::kIdle, line.c_str());
  } else if ((use.is_linked || g_started_in != 0) && !has_recorded) {
    line << " is linked with OpenMP, but opened no parallel region and created no task";
    report_unrecorded(Unrecorded::kIdle, line.c_str());
  }
}

}  // namespace perseid::ompt
