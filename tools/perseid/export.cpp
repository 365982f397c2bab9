// tools/perseid/export.cpp: `perseid export`, a timeline from a capture.
#include "timeline/export.h"

#include <sys/stat.h>

#include <filesystem>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/manifest.h"
#include "tools/perseid/capture_removal.h"
#include "tools/perseid/live_process.h"
#include "tools/perseid/message.h"
#include "tools/perseid/progress.h"
#include "tools/perseid/verb.h"

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'o', "out", "FILE", "the timeline, or a directory for it; else where the run wanted it"},
    {'r', "remove", nullptr, "remove the capture after a good export"},
    {'q', "quiet", nullptr, "say nothing unless something is wrong"},
};
constexpr size_t kLargestManifest = 1 << 20;

/// In a directory the timeline gets the name that the run wanted for it.
std::string within_directory(const std::string& out, const std::string& capture) {
  std::error_code error;
  if (!std::filesystem::is_directory(out, error)) return out;
  const File manifest(capture + "/" + kManifestFile);
  const Manifest facts = parse_manifest(manifest.read_text(kLargestManifest));
  const std::filesystem::path wanted(facts.get("out"));
  const std::string name = wanted.filename().empty() ? "perseid.json" : wanted.filename().string();
  return std::filesystem::path(out) / name;
}

int run_export(const Arguments& arguments) {
  if (arguments.operands.size() != 1) {
    return refuse_call(kExportVerb, "export needs one capture, a directory named *.capture");
  }
  const std::string& capture = arguments.operands.front();
  const bool is_snapshot = is_being_recorded(capture);
  const Result<ExportReport> report = [&] {
    const Progress progress;
    return export_capture(capture, {.out = within_directory(arguments.value("out"), capture),
                                    .progress = progress.callback()});
  }();
  if (!report) {
    say_line(report.error());
    return kExitUsage;
  }
  if (!arguments.has("quiet")) {
    say_line(describe(*report));
    if (is_snapshot) say("this is a snapshot: the program still records");
  }
  if (!arguments.has("remove")) return 0;
  if (is_snapshot || report->damages > 0) {
    say("{} is kept: it is {}", capture, is_snapshot ? "still being recorded" : "damaged");
    return 1;
  }
  const Result<bool> removed = remove_capture(capture);
  if (!removed) say_line(removed.error());
  return removed ? 0 : 1;
}

}  // namespace

const Verb kExportVerb = {
    "export",
    "CAPTURE",
    "writes the timeline of a capture",
    "Works on the capture of a finished, a killed and a running program. Never overwrites: if\n"
    "run.json exists, the timeline is called run.1.json, run.2.json and so on.\n"
    "\n"
    "exit status: 0 if the timeline was written, 2 if not, 1 if only --remove failed\n",
    kOptions,
    false,
    run_export};

}  // namespace perseid
