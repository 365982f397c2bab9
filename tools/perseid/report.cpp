// tools/perseid/report.cpp: `perseid report`, where the time of a run went.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

#include "capture/recorder_life.h"
#include "timeline/check/report_reader.h"
#include "timeline/export/narrowing.h"
#include "timeline/report/report_json.h"
#include "timeline/report/report_text.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/message.h"
#include "tools/perseid/option_values.h"
#include "tools/perseid/progress.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'j', "json", nullptr, "print every number as JSON, see docs/user/analysis.md"},
    {'s', "short", nullptr, "print at most five lines"},
    {'p', "phase", "NAME", "only this phase, as perseid_phase() named it"},
    {'i', "iterations", "N-M", "only these iterations of StarPU, such as 10-20"},
    {'\0', "from", "TIME", "leave out what is earlier; 1.5, 20ms or 3us after the start"},
    {'\0', "to", "TIME", "leave out what is later"},
    {'w', "worker", "PATTERN", "only workers with this name, such as \"CPU *\"; may be repeated"},
    {'k', "kind", "PATTERN", "list only these kinds of tasks; may be repeated"},
};
constexpr char kNarrow[] = "--phase, --iterations, --from, --to, --worker, --kind; or --json";
constexpr int kExitNothing = 1;

/// "10-20" or "7".
bool read_range(std::string_view text, std::pair<uint64_t, uint64_t>& range) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, range.first);
  if (text.empty() || error != std::errc()) return false;
  range.second = range.first;
  if (stop == end) return true;
  if (*stop != '-') return false;
  const auto [last, bad] = std::from_chars(stop + 1, end, range.second);
  return bad == std::errc() && last == end && stop + 1 != end && range.first <= range.second;
}

/// "", or what is wrong with the call.
std::string read_options(const Arguments& arguments, Narrowing& narrowing) {
  if (arguments.has("phase")) narrowing.phase = arguments.value("phase");
  if (arguments.has("iterations")) {
    std::pair<uint64_t, uint64_t> range;
    if (!read_range(arguments.value("iterations"), range)) {
      return "--iterations takes numbers such as 10-20 or 7";
    }
    narrowing.iterations = range;
  }
  const auto time = [&](const char* name, int64_t& to) {
    return !arguments.has(name) || read_time(arguments.value(name), to);
  };
  if (!time("from", narrowing.from_ns)) return "--from takes a time such as 1.5, 20ms or 3us";
  if (!time("to", narrowing.to_ns)) return "--to takes a time such as 1.5, 20ms or 3us";
  if (narrowing.from_ns > narrowing.to_ns) return "--from is later than --to";
  if (arguments.has("json") && arguments.has("short"))
    return "--json and --short exclude each other";
  narrowing.workers = arguments.values("worker");
  narrowing.kinds = arguments.values("kind");
  return "";
}

Result<ReportData> of_timeline(const std::string& path, const Narrowing& narrowing) {
  Result<ReportData> whole = report_in_timeline(path);
  if (!whole || narrowing.is_everything()) return whole;
  Narrowing rest = narrowing;
  rest.phase.reset();
  if (rest.is_everything()) return report_of_phase(*whole, *narrowing.phase);
  return Error{fmt::format(
      "{} is a timeline, which answers for the whole run and for its phases; for other parts keep "
      "the capture (keep=1) and name that",
      path)};
}

Result<ReportData> of_capture(const std::string& path, const Narrowing& narrowing) {
  if (is_half_removed(path)) {
    return Error{fmt::format("{} is partly removed, its timeline was written: name that", path)};
  }
  const bool is_live = recorder_life(path) == RecorderLife::kAlive;
  const Progress progress;
  Result<ReportData> report = report_capture(path, narrowing, progress.callback());
  if (report && is_live) print_message("this is a snapshot: the program is still running");
  return report;
}

int print(const std::string& text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return is_written && std::fflush(stdout) == 0 ? 0 : 1;
}

int run_report(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return refuse_call(kReportVerb, "report needs one capture or timeline");
  }
  Narrowing narrowing;
  if (const std::string problem = read_options(arguments, narrowing); !problem.empty()) {
    return refuse_call(kReportVerb, problem);
  }
  const std::string& path = arguments.operands.front();
  std::error_code ignored;
  const Result<ReportData> report = std::filesystem::is_directory(path, ignored)
                                        ? of_capture(path, narrowing)
                                        : of_timeline(path, narrowing);
  if (!report) {
    print_line(report.error());
    return kExitUsage;
  }
  if (arguments.has("json")) return print(write_report_json(*report) + '\n');
  const ReportLength length = arguments.has("short") ? ReportLength::kShort : ReportLength::kFull;
  const std::string more =
      length == ReportLength::kShort ? "perseid report " + shell_word(path) : std::string(kNarrow);
  const std::string text = report_text(*report, length, more);
  if (text.empty()) {
    print_message("nothing to report of {}: {}", path, report->too_short);
    return kExitNothing;
  }
  return print(text);
}

}  // namespace

const Verb kReportVerb = {
    "report",
    "CAPTURE|TIMELINE",
    "print where the time of the workers went",
    "The program may have finished, been killed, or still be running. A timeline holds the\n"
    "report of the whole run and of its phases; a capture also answers for other parts.\n"
    "Phases called warm-up are left out unless --phase, --iterations, --from or --to is given.\n"
    "\n"
    "exit status: 0 if there is a report, 1 if nothing was recorded that one could be about,\n"
    "2 if there is nothing to read\n",
    kOptions,
    false,
    run_report};

}  // namespace perseid
