// tools/perseid/check.cpp: `perseid check`, what a capture or a timeline holds and lacks.
#include <fmt/format.h>

#include <filesystem>

#include "timeline/check/report.h"
#include "timeline/walk/decoder.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/message.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'\0', "schema", nullptr, "print the tables of records instead"},
    {'q', "quiet", nullptr, "say nothing; the exit status tells"},
};
constexpr int kExitNotWhole = 1;

int run_check(const Arguments& arguments) {
  if (arguments.has("schema")) {
    fmt::print("{}", schema());
    return 0;
  }
  if (arguments.operands.size() != 1) {
    return refuse_call(kCheckVerb, "check needs one capture or timeline");
  }
  const std::string& path = arguments.operands.front();
  if (is_half_removed(path)) {
    say("{} is half removed, and its timeline was written; `perseid export --remove {}` removes "
        "the rest",
        path, shell_word(path));
    return kExitNotWhole;
  }
  std::error_code ignored;
  const Result<CheckReport> report =
      std::filesystem::is_directory(path, ignored) ? check_capture(path) : check_timeline(path);
  if (!report) {
    say_line(report.error());
    return kExitUsage;
  }
  if (!arguments.has("quiet")) fmt::print("{}", format(*report));
  return report->is_sound() ? 0 : kExitNotWhole;
}

}  // namespace

const Verb kCheckVerb = {
    "check",
    "CAPTURE|FILE",
    "counts what a capture or a timeline holds, and what it lacks",
    "exit status: 0 sound, 1 damaged or with losses, 2 unreadable\n",
    kOptions,
    false,
    run_check,
};

}  // namespace perseid
