// tools/perseid/run.cpp: `perseid run`, a program with the library in it, and its timelines.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "plugin/settings/job_environment.h"
#include "plugin/settings/rank_selection.h"
#include "plugin/settings/run_registry.h"
#include "plugin/settings/settings.h"
#include "plugin/settings/stand_in_variable.h"
#include "tools/perseid/child.h"
#include "tools/perseid/child_environment.h"
#include "tools/perseid/delivery.h"
#include "tools/perseid/launcher.h"
#include "tools/perseid/library.h"
#include "tools/perseid/message.h"
#include "tools/perseid/nothing_recorded.h"
#include "tools/perseid/openmp_runtime.h"
#include "tools/perseid/registry_owner.h"
#include "tools/perseid/stragglers.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'o', "out", "PATTERN", "write timelines here; %r is the rank, see `perseid env`"},
    {'s', "set", "KEY=VALUE", "apply a setting of `perseid env`; may be repeated"},
    {'\0', "openmp", "llvm", "run a program built for GCC's libgomp on LLVM's runtime"},
    {'1', "one-file", nullptr, "MPI jobs: write only the merged timeline"},
    {'k', "keep", nullptr, "keep the captures after their export"},
    {'q', "quiet", nullptr, "print errors only"},
};

constexpr int kExitNotFound = 127;
constexpr int kExitCannotRun = 126;
/// For recordings that outlive what was started. After a failure they end soon, if at all; after
/// success they are services that were left running.
constexpr std::chrono::milliseconds kTimeout{10'000};
constexpr std::chrono::milliseconds kShortTimeout{300};

void report_problem(void*, const char* sentence) { print_line(sentence); }
void ignore(void*, const char*) {}

std::string working_directory() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

/// A relative pattern starts where the user typed it, wherever the program (a shell with `cd` in
/// it) goes before the recording begins. A variable in front may hold an absolute path, and a comma
/// would end the setting: such patterns start where the recorded process does.
std::string starting_here(const std::string& pattern) {
  const std::string here = working_directory();
  if (pattern.empty() || pattern.starts_with('/') || pattern.starts_with("%q") || here.empty() ||
      here.find(',') != std::string::npos)
    return pattern;
  std::string path;
  for (const char letter : here) path.append(letter == '%' ? 2 : 1, letter);
  return path + '/' + pattern;
}

/// The options as items of PERSEID.
std::vector<std::string> items_of(const Arguments& arguments) {
  std::vector<std::string> items = arguments.values("set");
  if (arguments.has("out")) items.push_back("out=" + starting_here(arguments.value("out")));
  if (arguments.has("keep")) items.emplace_back("keep=1");
  if (arguments.has("quiet")) items.emplace_back("quiet=1");
  return items;
}

/// A typing error must show before the program has run for hours.
bool are_understood(const std::vector<std::string>& items) {
  Settings settings;
  bool is_good = true;
  for (const std::string& item : items) {
    is_good = read_setting(item.c_str(), settings, report_problem, nullptr) && is_good;
  }
  return is_good;
}

/// The library, and LLVM's OpenMP runtime where it shall take libgomp's place. In which processes
/// it can, each of them decides: ompt/record/stand_in.cpp.
Result<std::vector<std::string>> libraries_to_load(const Arguments& arguments) {
  const Result<std::string> library = find_library();
  if (!library) return Error{library.error()};
  std::vector<std::string> libraries = {*library};
  if (arguments.has("openmp")) {
    const Result<std::string> runtime = find_llvm_openmp();
    if (!runtime) return Error{runtime.error()};
    libraries.push_back(*runtime);
  }
  return libraries;
}

/// Puts everything the library needs into our own environment, which the program inherits.
Settings prepare_environment(const std::vector<std::string>& libraries, const std::string& registry,
                             const std::vector<std::string>& items) {
  const char* const existing = std::getenv("LD_PRELOAD");
  std::string preload = existing ? existing : "";
  for (auto library = libraries.rbegin(); library != libraries.rend(); ++library) {
    preload = preload_value(preload.c_str(), *library);
  }
  const std::string starpu = settings_value(std::getenv("STARPU_TRACE_PLUGIN"), {});
  const std::string perseid = settings_value(std::getenv("PERSEID"), items);
  setenv("LD_PRELOAD", preload.c_str(), 1);
  setenv("STARPU_TRACE_PLUGIN", starpu.c_str(), 1);
  setenv("PERSEID", perseid.c_str(), 1);
  setenv(kRunRegistryVariable, registry.c_str(), 1);
  if (libraries.size() > 1) {
    setenv(kStandInVariable, libraries.back().c_str(), 1);
    // LLVM's runtime warns of what libgomp takes without a word, such as omp_set_nested.
    setenv("KMP_WARNINGS", "0", 0);
  }

  Settings settings;
  read_settings(starpu.c_str(), perseid.c_str(), libraries.front().c_str(), settings, ignore,
                nullptr);
  return settings;
}

void report_gaps(const std::string& program, const std::vector<Gap>& gaps, const ChildEnd& end,
                 bool is_nothing) {
  if (!is_nothing) {
    for (const std::string& sentence : left_out(gaps)) print_line("not recorded: " + sentence);
  } else if (const std::string why = why_nothing_recorded(program, gaps, end); !why.empty()) {
    print_line(why);
  }
}

int run_run(const Arguments& arguments) {
  if (arguments.operands.empty()) return refuse_call(kRunVerb, "no program to run was given");
  const std::vector<std::string> items = items_of(arguments);
  if (!are_understood(items)) return kExitUsage;
  if (arguments.has("openmp") && arguments.value("openmp") != "llvm") {
    return refuse_call(kRunVerb, "--openmp takes only the value llvm");
  }
  const Result<std::vector<std::string>> libraries = libraries_to_load(arguments);
  if (!libraries) {
    print_line(libraries.error());
    return kExitUsage;
  }
  // Ranks on other machines see the working directory, if any, and not our /tmp.
  const bool starts_ranks = is_launcher(arguments.operands.front());
  Result<RegistryOwner> registry = RegistryOwner::create(starts_ranks ? working_directory() : "");
  if (!registry) {
    print_line(registry.error());
    return kExitUsage;
  }
  Settings settings = prepare_environment(*libraries, registry->path(), items);
  // Of thousands of ranks under one launcher, one speaks.
  if (!is_reporting_rank(read_rank_in_job(), settings.ranks)) settings.quiet = true;
  const ChildEnd end = run_child(arguments.operands);
  if (end.exec_error != 0) {
    print_message("cannot run \"{}\": {}", arguments.operands.front(),
                  std::strerror(end.exec_error));
    return end.exec_error == ENOENT ? kExitNotFound : kExitCannotRun;
  }

  const bool has_failed = end.signal != 0 || end.status != 0;
  wait_for_stragglers(*registry, starts_ranks || has_failed ? kTimeout : kShortTimeout,
                      settings.quiet);
  const std::vector<AnnouncedCapture> captures = registry->take_all();
  for (const std::string& failure : registry->failures()) print_line(failure);
  if (!captures.empty()) deliver(captures, settings, arguments.has("one-file"));
  const bool has_nothing = captures.empty() && registry->failures().empty();
  if (!settings.quiet) report_gaps(arguments.operands.front(), registry->gaps(), end, has_nothing);
  if (end.signal != 0) die_by(end.signal);
  return end.status;
}

}  // namespace

const Verb kRunVerb = {
    "run",
    "[--] PROGRAM [ARGUMENT]...",
    "run a program and write its timeline",
    "The program behaves as without perseid: same exit status, signals and output.\n"
    "The timeline is written even after a crash or kill -9.\n"
    "MPI: `perseid run -- mpirun ./app` writes one timeline per rank and a merged one;\n"
    "`mpirun perseid run -- ./app` and `srun perseid run -- ./app` write one per rank.\n"
    "PERSEID and STARPU_TRACE_PLUGIN are read, too; options override them.\n"
    "\n"
    "exit status: the program's; 126 or 127 if it cannot be started, 2 for wrong options\n",
    kOptions,
    true,
    run_run};

}  // namespace perseid
