// timeline/export/export.cpp: the pipeline with files at its end.
#include "timeline/export/export.h"

#include <fmt/format.h>

#include <memory>

#include "capture/reader.h"
#include "timeline/export/pipeline.h"
#include "timeline/export/run_settings.h"
#include "timeline/export/timeline_name.h"
#include "timeline/report/report_json.h"
#include "timeline/writers/output_set.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

/// Where the timeline goes if this export names no file: to the run's own place only if the
/// capture is our own.
std::string place_without_name(const Capture& source, const RunSettings& settings,
                               bool follows_manifest) {
  if (follows_manifest && !settings.out.empty()) return settings.out;
  return directory_of(source.path()) + timeline_name(source.manifest(), source.path());
}

Result<std::vector<ChosenWriter>> choose(const Capture& source, const ExportOptions& options) {
  const RunSettings settings = read_run_settings(source.manifest());
  const bool is_asked = !options.out.empty();
  const std::string wanted =
      is_asked ? options.out : place_without_name(source, settings, options.follows_manifest);
  const OutputFile::Special special = is_asked || options.follows_manifest
                                          ? OutputFile::Special::kWrite
                                          : OutputFile::Special::kPassBy;
  // A file that was named for this export keeps its format; the run's setting is for its own.
  const std::string& formats =
      !options.formats.empty() || is_asked ? options.formats : settings.format;
  std::vector<ChosenWriter> chosen;
  if (!formats.empty()) {
    Result<std::vector<ChosenWriter>> several = choose_writers(wanted, formats, special);
    if (!several) return Error{several.error()};
    chosen = std::move(*several);
  } else {
    const Result<ChosenWriter> one = choose_writer(wanted, special);
    if (!one) return Error{one.error()};
    chosen.push_back(*one);
  }
  for (const std::string& path : options.also_to) {
    const Result<ChosenWriter> one = choose_writer(path);
    if (!one) return Error{one.error()};
    chosen.push_back(*one);
  }
  return chosen;
}

}  // namespace

Result<ExportReport> export_capture(const std::string& capture, const ExportOptions& options) {
  Result<std::unique_ptr<Capture>> opened = open_capture(capture);
  if (!opened) return Error{opened.error()};
  Capture& source = **opened;

  const Result<std::vector<ChosenWriter>> chosen = choose(source, options);
  if (!chosen) return Error{chosen.error()};
  Result<std::unique_ptr<OutputSet>> created =
      OutputSet::create(*chosen, options.may_load_libraries);
  if (!created) return Error{created.error()};
  OutputSet& outputs = **created;

  ExportReport report;
  report.wanted_length = read_run_settings(source.manifest()).report;
  const PipelineReport shown = show_capture(source, outputs,
                                            {.selection = options.selection,
                                             .dependency_arrows = options.dependency_arrows,
                                             .written = [&outputs] { return outputs.bytes(); },
                                             .progress = options.progress,
                                             .may_load_libraries = options.may_load_libraries,
                                             .take_report =
                                                 [&](const ReportData& answer) {
                                                   outputs.report(write_report_json(answer));
                                                   report.answer = answer;
                                                 }});
  report.records = shown.walked.records;
  report.slices = shown.slices;
  report.losses = shown.losses;
  report.damages = shown.damages;
  report.stripped = shown.walked.stripped;
  report.cut = shown.cut;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const uint64_t bytes = outputs.file_bytes(i);
    const Result<std::string> name = outputs.commit(i);
    if (!name) {
      return Error{fmt::format("{}; the capture {} is kept", name.error(), source.path())};
    }
    if (i == 0) {
      report.file = *name;
      report.file_bytes = bytes;
    } else {
      report.more_files.push_back({*name, bytes});
    }
  }
  return report;
}

std::vector<std::string> files_of(const ExportReport& report) {
  std::vector<std::string> files = {report.file};
  for (const WrittenFile& file : report.more_files) files.push_back(file.name);
  return files;
}

std::string describe(const ExportReport& report) {
  std::string line = fmt::format("{} event{}, {}", report.records, plural(report.records),
                                 describe(report.losses));
  if (report.damages > 0) {
    line += fmt::format(", {} damaged place{}", report.damages, plural(report.damages));
  }
  line += fmt::format(", {} in {}", human_bytes(report.file_bytes), report.file);
  for (const WrittenFile& file : report.more_files) {
    line += fmt::format(", {} in {}", human_bytes(file.bytes), file.name);
  }
  if (!report.cut.empty()) line += fmt::format("; the timeline is {}", report.cut);
  if (!report.stripped.empty()) {
    line += fmt::format("; {} has no symbols: install its debug symbols to see names in it",
                        report.stripped);
  }
  return line;
}

}  // namespace perseid
