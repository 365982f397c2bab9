// tools/perseid/verb.h: what a subcommand of `perseid` is made of.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/result.h"

namespace perseid {

struct OptionInfo {
  char letter;        // '\0': long form only
  const char* name;   // without the dashes
  const char* value;  // what it takes, as the help shows it; null: nothing
  const char* meaning;
};

/// What the user typed after the verb.
struct Arguments {
  std::vector<std::pair<const OptionInfo*, std::string>> options;
  std::vector<std::string> operands;
  bool wants_help = false;

  bool has(std::string_view name) const;
  /// The last one counts; empty if it was not given.
  std::string value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
};

/// Exit status of every verb when it was called wrongly, or has nothing to read.
inline constexpr int kExitUsage = 2;

struct Verb {
  const char* name;
  const char* operands;  // as the help shows them
  const char* summary;
  const char* details;
  std::span<const OptionInfo> options;
  /// The first operand ends the options: what follows belongs to another program.
  bool takes_command;
  int (*run)(const Arguments& arguments);
};

extern const Verb kRunVerb;
extern const Verb kExportVerb;
extern const Verb kMergeVerb;
extern const Verb kReportVerb;
extern const Verb kCheckVerb;
extern const Verb kDumpVerb;
extern const Verb kQueryVerb;
extern const Verb kEnvVerb;

Result<Arguments> parse_arguments(const Verb& verb, std::span<const char* const> words);
std::string help_of(const Verb& verb);

/// Prints what is wrong with the call and where help is. Returns kExitUsage.
int refuse_call(const Verb& verb, std::string_view what);

}  // namespace perseid
