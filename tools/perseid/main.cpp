// tools/perseid/main.cpp: the command line; finds the verb and runs it.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <span>
#include <string_view>

#include "perseid_version.h"
#include "plugin/settings/nearest_word.h"
#include "tools/perseid/message.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr const Verb* kVerbs[] = {&kRunVerb,   &kExportVerb, &kReportVerb, &kMergeVerb,
                                  &kCheckVerb, &kDumpVerb,   &kQueryVerb,  &kEnvVerb};

std::string overview() {
  std::string text =
      "perseid: record timelines of StarPU, OpenMP and MPI programs\n\n"
      "usage: perseid VERB ...\n\n";
  for (const Verb* verb : kVerbs) text += fmt::format("  {:<8} {}\n", verb->name, verb->summary);
  text +=
      "\n"
      "  perseid VERB --help      show the options of a verb\n"
      "  perseid --version        print the version\n\n"
      "First steps: perseid run -- ./program, then drop the .json file on "
      "https://ui.perfetto.dev\n";
  return text;
}

const Verb* find_verb(std::string_view name) {
  for (const Verb* verb : kVerbs) {
    if (name == verb->name) return verb;
  }
  return nullptr;
}

int refuse_verb(std::string_view typed) {
  NearestWord nearest(typed);
  for (const Verb* verb : kVerbs) nearest.offer(verb->name);
  if (nearest.found().empty()) {
    print_message("unknown verb \"{}\"; see `perseid --help`", typed);
  } else {
    print_message("unknown verb \"{}\"; did you mean \"{}\"?", typed, nearest.found());
  }
  return kExitUsage;
}

/// Help is a result: a full disk or a closed pipe must not look like success.
int print(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return is_written && std::fflush(stdout) == 0 ? 0 : 1;
}

int run_verb(const Verb& verb, std::span<const char* const> words) {
  const Result<Arguments> arguments = parse_arguments(verb, words);
  if (!arguments) return refuse_call(verb, arguments.error());
  if (arguments->wants_help) return print(help_of(verb));
  return verb.run(*arguments);
}

int dispatch(std::span<const char* const> words) {
  if (words.empty()) {
    std::fputs(overview().c_str(), stderr);
    return kExitUsage;
  }
  const std::string_view first = words[0];
  if (first == "--help" || first == "-h") return print(overview());
  if (first == "--version" || first == "-V") return print("perseid " PERSEID_VERSION "\n");
  if (first == "help") {
    if (words.size() == 1) return print(overview());
    const Verb* verb = find_verb(words[1]);
    return verb ? print(help_of(*verb)) : refuse_verb(words[1]);
  }
  const Verb* verb = find_verb(first);
  return verb ? run_verb(*verb, words.subspan(1)) : refuse_verb(first);
}

}  // namespace
}  // namespace perseid

int main(int count, char** words) {
  try {
    return perseid::dispatch({words + 1, static_cast<size_t>(count > 0 ? count - 1 : 0)});
  } catch (const std::bad_alloc&) {
    perseid::print_message(
        "out of memory; raise the limit (ulimit -v, or --mem of the batch system)");
    return perseid::kExitUsage;
  } catch (const std::exception& error) {
    perseid::print_message("internal error: {}", error.what());
    return perseid::kExitUsage;
  }
}
