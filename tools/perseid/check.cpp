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
    {'\0', "schema", nullptr, "print the record tables of the format instead"},
    {'q', "quiet", nullptr, "print nothing; only set the exit status"},
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
    print_message(
        "{} is partly removed, its timeline was written; remove the rest with: "
        "perseid export --remove {}",
        path, shell_word(path));
    return kExitNotWhole;
  }
  std::error_code ignored;
  const Result<CheckReport> report =
      std::filesystem::is_directory(path, ignored) ? check_capture(path) : check_timeline(path);
  if (!report) {
    print_line(report.error());
    return kExitUsage;
  }
  if (!arguments.has("quiet")) fmt::print("{}", format(*report));
  return report->is_sound() ? 0 : kExitNotWhole;
}

}  // namespace

const Verb kCheckVerb = {
    "check",
    "CAPTURE|FILE",
    "print event counts, losses and damage",
    "exit status: 0 intact, 1 damaged or with losses, 2 unreadable\n",
    kOptions,
    false,
    run_check,
};

}  // namespace perseid
