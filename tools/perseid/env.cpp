// tools/perseid/env.cpp: `perseid env`, the list of settings; docs/user/environment.md repeats it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "plugin/settings/out_pattern.h"
#include "plugin/settings/settings.h"
#include "tools/perseid/message.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr char kVariables[] =
    "Variables\n"
    "  PERSEID               switch and settings\n"
    "  STARPU_TRACE_PLUGIN   the same, named for StarPU programs; PERSEID overrides it\n"
    "  PERSEID_LIBRARY       the libperseid.so that `perseid run` uses\n"
    "  PERSEID_TRACE_PROCESSOR\n"
    "                        where `perseid query` finds Perfetto's trace processor\n"
    "\n"
    "Values of PERSEID and STARPU_TRACE_PLUGIN: items separated by commas\n"
    "  0, off                record nothing; so does an unset or empty variable\n"
    "  1, on                 record with the defaults; so does the path of libperseid.so\n"
    "  key=value             apply a setting of the list below\n"
    "  anything else         write the timeline there, as out=... does\n"
    "To use a comma or a backslash in a value, put a backslash before it.\n";

void report_problem(void* count, const char* sentence) {
  ++*static_cast<int*>(count);
  print_line(sentence);
}

int run_env(const Arguments& arguments) {
  if (!arguments.operands.empty()) return refuse_call(kEnvVerb, "env takes no operands");
  fmt::print("{}\nSettings\n  {:<12} {:<23} {:<22} {}\n", kVariables, "key", "values", "default",
             "meaning");
  for (const SettingInfo& row : setting_table()) {
    fmt::print("  {:<12} {:<23} {:<22} {}\n", row.key, row.values, row.fallback, row.meaning);
  }
  fmt::print("\nLetters in out and dir\n");
  for (const PatternLetterInfo& row : pattern_letters()) {
    fmt::print("  {:<12} {}\n", row.letter, row.meaning);
  }
  if (std::fflush(stdout) != 0) return 1;

  int problems = 0;
  Settings settings;
  read_settings(std::getenv("STARPU_TRACE_PLUGIN"), std::getenv("PERSEID"), nullptr, settings,
                report_problem, &problems);
  return problems == 0 ? 0 : 1;
}

}  // namespace

const Verb kEnvVerb = {
    "env",
    "",
    "print the settings, their defaults and meanings",
    "Also checks the variables that are set now: errors go to stderr, and the exit status is 1.\n",
    {},
    false,
    run_env};

}  // namespace perseid
