// ompt/record/stand_in.cpp: LLVM's runtime in libgomp's place, or libgomp: decided in each process.
//
// `perseid run --openmp=llvm` preloads libomp into every process below it. Whether libomp can serve
// a program shows only where that program starts: below env, a shell or mpirun, and together with
// the libraries it brings along. A function that libomp lacks stays libgomp's, and would be called
// with the other runtime's data: LLVM 14 to 19 have no omp_fulfill_event under libgomp's version of
// that name, and libgomp's crashes.
//
// The list of preloaded libraries is fixed before any code of ours runs. So libomp is in the list,
// which is right for nearly all programs, and the few that it cannot serve start again without it
// before their first instruction. Libraries that a program opens later are not looked at.
#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "ompt/record/hooks.h"
#include "plugin/session/loaded_files.h"
#include "plugin/session/message.h"
#include "plugin/session/restart.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/rank_selection.h"
#include "plugin/settings/settings.h"
#include "plugin/settings/stand_in_variable.h"

namespace perseid::ompt {
namespace {

constexpr char kPreload[] = "LD_PRELOAD";
/// "PID LIST" for the short time between two starts: the process that starts again, and what
/// LD_PRELOAD shall be for its children, each of which decides for itself.
constexpr char kKept[] = "PERSEID_OPENMP_KEPT";

struct Missing {
  FixedText<256> symbol;   // empty: nothing is missing
  FixedText<256> library;  // that wants it; empty: the program itself
};

void find_missing(void* runtime, Missing& missing) noexcept {
  each_loaded_file([&](const LoadedElf& file) {
    file.imports.each_from(kLibgomp, [&](const char* name, const char* version, void**) {
      if (missing.symbol.size() > 0 || dlvsym(runtime, name, version)) return;
      missing.symbol << name << '@' << version;
      missing.library << file.name();
    });
    return missing.symbol.size() == 0;
  });
}

/// Takes `library` out of a list with blanks or colons. False if it is not in it, or if the list is
/// too long for `rest`.
bool take_out(std::string_view list, std::string_view library, TextBuffer& rest) noexcept {
  bool is_found = false;
  while (!list.empty()) {
    const size_t end = list.find_first_of(": ");
    const std::string_view item = list.substr(0, end);
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    is_found = is_found || item == library;
    if (item.empty() || item == library) continue;
    if (!rest.view().empty()) rest.add(':');
    rest.add(item);
  }
  return is_found && !rest.is_cut();
}

void report(const Missing& missing, const char* runtime) noexcept {
  // The switch may be off in this process, and the settings are read later.
  Settings settings;
  read_settings(std::getenv("STARPU_TRACE_PLUGIN"), std::getenv("PERSEID"), nullptr, settings,
                nullptr, nullptr);
  if (!is_reporting_rank(read_rank_in_job(), settings.ranks)) return;
  direct_messages(settings.log, settings.quiet);
  FixedText<2 * PATH_MAX> line;
  line << "--openmp=llvm: " << ProgramName().text
       << " runs with libgomp, and its OpenMP is not recorded: "
       << (missing.library.size() > 0 ? missing.library.c_str() : "it") << " calls "
       << missing.symbol.c_str() << ", which " << runtime << " does not have; build it with clang";
  warn(line.c_str());
}

/// True in a process that has started again.
bool is_second_start() noexcept {
  const char* const kept = std::getenv(kKept);
  if (!kept) return false;
  pid_t process = 0;
  const char* const end = std::from_chars(kept, kept + std::strcspn(kept, " "), process).ptr;
  if (*end == ' ') setenv(kPreload, end + 1, 1);
  unsetenv(kKept);
  return process == getpid();
}

void start_with_libgomp(const char* list, const char* others) noexcept {
  FixedText<3 * PATH_MAX> kept;
  kept << static_cast<uint64_t>(getpid()) << ' ' << list;
  int error = E2BIG;
  if (!kept.is_cut() && setenv(kKept, kept.c_str(), 1) == 0 && setenv(kPreload, others, 1) == 0)
    error = start_program_again();
  setenv(kPreload, kept.c_str() + std::strcspn(kept.c_str(), " ") + 1, 1);
  unsetenv(kKept);
  Line line;
  line << "--openmp=llvm: cannot start " << ProgramName().text << " with libgomp: ";
  line.append_error(error) << "; run it without --openmp=llvm";
  warn(line.c_str());
}

/// Before the library's other constructors: a second start must find what the first one found.
[[gnu::constructor(101)]] void choose_runtime() noexcept {
  const SystemCallGuard guard;
  const char* const runtime = std::getenv(kStandInVariable);
  if (!runtime || !runtime[0] || getauxval(AT_SECURE) != 0) return;
  if (is_second_start()) {
    g_keeps_libgomp = true;
    return;
  }
  const char* const list = std::getenv(kPreload);
  FixedText<2 * PATH_MAX> others;
  if (!list || !take_out(list, runtime, others)) return;
  void* const library = dlopen(runtime, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  Missing missing;
  find_missing(library, missing);
  dlclose(library);
  if (missing.symbol.size() == 0) return;
  report(missing, runtime);
  start_with_libgomp(list, others.c_str());
}

}  // namespace
}  // namespace perseid::ompt
