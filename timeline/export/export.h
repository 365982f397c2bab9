// timeline/export/export.h: a capture in, timeline files out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture/result.h"
#include "timeline/analysis/report_data.h"
#include "timeline/report/report_text.h"
#include "timeline/sinks/selection.h"
#include "timeline/walk/losses.h"

namespace perseid {

struct ExportOptions {
  std::string out;  // "": next to the capture, named as the run wanted it
  /// The capture is known to be our own: without `out`, its manifest decides where the timeline
  /// goes.
  bool follows_manifest = false;
  /// Called now and then with the share done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
  /// Most arrows for dependencies. Nothing: as in the run's settings.
  std::optional<uint64_t> dependency_arrows = {};
  /// False inside a host that a signal stopped: names then come without source lines, and no
  /// thread is started.
  bool may_load_libraries = true;
  /// More files, written in the same pass.
  std::vector<std::string> also_to = {};
  /// "json", or several with + between them, instead of what `out` is called. "": the run's.
  std::string formats = {};
  /// What is not set here is taken from the run's settings.
  Selection selection = {};
};

struct WrittenFile {
  std::string name;  // the one it really got: never one that existed before
  uint64_t bytes = 0;
};

struct ExportReport {
  std::string file;      // the first
  uint64_t records = 0;  // read from the capture
  uint64_t slices = 0;   // written, instants included
  Losses losses;
  uint64_t damages = 0;  // places where the capture is unreadable
  uint64_t file_bytes = 0;
  std::vector<WrittenFile> more_files;
  std::string cut;       // "": everything that was selected is there
  std::string stripped;  // a program or library whose code has no names; "": none
  ReportData answer;     // of the whole run, whatever was selected
  ReportLength wanted_length = ReportLength::kShort;  // by the run's settings
};

/// Gives the files their names at the end, when they are whole. The capture is left as
/// it is. Throws nothing but std::bad_alloc.
Result<ExportReport> export_capture(const std::string& capture, const ExportOptions& options);

/// All that were written.
std::vector<std::string> files_of(const ExportReport& report);

/// The one line a user sees at the end of a run, without "perseid: ".
std::string describe(const ExportReport& report);

}  // namespace perseid
