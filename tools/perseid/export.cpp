// tools/perseid/export.cpp: `perseid export`, a timeline from a capture.
#include "timeline/export/export.h"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/manifest.h"
#include "capture/recorder_life.h"
#include "timeline/export/timeline_name.h"
#include "timeline/export/viewer_limit.h"
#include "timeline/report/report_text.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/message.h"
#include "tools/perseid/option_values.h"
#include "tools/perseid/progress.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'o', "out", "FILE", "write to this file or directory; may be repeated"},
    {'f', "format", "FORMAT", "json, json.gz, pftrace, pftrace.gz; join several with +"},
    {'\0', "from", "TIME", "skip what ended earlier; 1.5, 20ms or 3us after the start"},
    {'\0', "to", "TIME", "skip what began later"},
    {'l', "lanes", "PATTERN", "write only lanes with these names; may be repeated"},
    {'n', "names", "PATTERN", "write only slices with these names; may be repeated"},
    {'\0', "max-events", "N", "stop after N slices and samples"},
    {'\0', "max-bytes", "SIZE", "stop at this size before compression: 500M, 2G"},
    {'d', "deps", "N", "draw at most N dependency arrows, or \"all\"; default: deps= of the run"},
    {'r', "remove", nullptr, "remove the capture after a successful export"},
    {'q', "quiet", nullptr, "print errors only"},
};
constexpr size_t kMaxManifestBytes = 1 << 20;

/// "", or what is wrong with the call.
std::string read_options(const Arguments& arguments, ExportOptions& options) {
  const auto number = [&](const char* name, bool (*read)(std::string_view, uint64_t&),
                          uint64_t& to) {
    return !arguments.has(name) || read(arguments.value(name), to);
  };
  const auto time = [&](const char* name, int64_t& to) {
    return !arguments.has(name) || read_time(arguments.value(name), to);
  };
  uint64_t arrows = 0;
  if (!number("deps", read_count, arrows)) return "--deps takes a number or all";
  if (arguments.has("deps")) options.dependency_arrows = arrows;
  Selection& selection = options.selection;
  if (!time("from", selection.from_ns)) return "--from takes a time such as 1.5, 20ms or 3us";
  if (!time("to", selection.to_ns)) return "--to takes a time such as 1.5, 20ms or 3us";
  if (selection.from_ns > selection.to_ns) return "--from is later than --to";
  if (!number("max-events", read_count, selection.max_events)) {
    return "--max-events takes a number or all";
  }
  if (!number("max-bytes", read_size, selection.max_bytes)) {
    return "--max-bytes takes a size such as 500M, or all";
  }
  selection.lanes = arguments.values("lanes");
  selection.names = arguments.values("names");
  options.formats = arguments.value("format");
  options.also_to = arguments.values("out");
  if (!options.also_to.empty()) {
    options.out = options.also_to.front();
    options.also_to.erase(options.also_to.begin());
  }
  return "";
}

/// In a directory the timeline gets the name that the run wanted for it.
std::string within_directory(const std::string& out, const std::string& capture) {
  std::error_code error;
  if (!std::filesystem::is_directory(out, error)) return out;
  const File manifest(capture + "/" + kManifestFile);
  const Manifest facts = parse_manifest(manifest.read_text(kMaxManifestBytes));
  return std::filesystem::path(out) / timeline_name(facts, capture);
}

int remove_after(const std::string& capture, const ExportReport& report, const std::string& why) {
  if (!why.empty() || report.damages > 0) {
    print_message("{} was not removed: {}", capture, why.empty() ? "it is damaged" : why);
    return 1;
  }
  Result<bool> removed = read_back(files_of(report));
  if (removed) removed = remove_capture(capture);
  if (!removed) print_line(removed.error());
  return removed ? 0 : 1;
}

/// `perseid` was killed while it removed the capture: its timeline had been written before.
int finish_removal(const std::string& capture, bool may_remove) {
  if (!may_remove) {
    print_message(
        "{} is partly removed, its timeline was written; remove the rest with: "
        "perseid export --remove {}",
        capture, shell_word(capture));
    return kExitUsage;
  }
  const Result<bool> removed = remove_capture(capture);
  if (!removed) print_line(removed.error());
  return removed ? 0 : 1;
}

int run_export(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return refuse_call(kExportVerb, "export needs one capture, a directory named *.capture");
  }
  ExportOptions options;
  if (const std::string problem = read_options(arguments, options); !problem.empty()) {
    return refuse_call(kExportVerb, problem);
  }
  const std::string& capture = arguments.operands.front();
  for (std::string& out : options.also_to) out = within_directory(out, capture);
  options.out = within_directory(options.out, capture);
  if (is_half_removed(capture)) return finish_removal(capture, arguments.has("remove"));
  const RecorderLife life = recorder_life(capture);
  const std::string why_kept = why_recorded(capture);
  const Result<ExportReport> report = [&] {
    const Progress progress;
    options.progress = progress.callback();
    return export_capture(capture, options);
  }();
  if (!report) {
    print_line(report.error());
    return kExitUsage;
  }
  if (!arguments.has("quiet")) {
    print_line(describe(*report));
    print_lines(report_text(report->answer, report->wanted_length,
                            "perseid report " + shell_word(report->file)));
    const std::string large =
        too_large_notice(*report, arguments.has("remove") ? "" : shell_word(capture));
    if (!large.empty()) print_line(large);
    if (life == RecorderLife::kAlive)
      print_message("this is a snapshot: the program is still running");
  }
  return arguments.has("remove") ? remove_after(capture, *report, why_kept) : 0;
}

}  // namespace

const Verb kExportVerb = {
    "export",
    "CAPTURE",
    "write the timeline of a capture",
    "The program may have finished, been killed, or still be running. Without -o the timeline\n"
    "goes next to the capture, under the name chosen for the run. Existing files are kept: if\n"
    "run.json exists, the timeline becomes run.1.json, run.2.json and so on. The file name\n"
    "selects the format: .json, .json.gz, .pftrace or .pftrace.gz. Several -o write several\n"
    "files in one pass.\n"
    "\n"
    "Patterns are those of the shell, \"CPU *\" or \"gemm?\"; a pattern without *, ? and [\n"
    "matches anywhere in the name. The timeline and stderr report what was left out.\n"
    "\n"
    "exit status: 0 if the timeline was written, 2 if not, 1 if only --remove failed\n",
    kOptions,
    false,
    run_export};

}  // namespace perseid
