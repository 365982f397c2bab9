// timeline/export.h: a capture in, a timeline file out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "capture/result.h"

namespace perseid {

struct ExportOptions {
  std::string out;  // "": what the capture's manifest says
  /// Called now and then with the share done, 0 to 1. May be empty.
  std::function<void(double)> progress;
  /// Most arrows for dependencies. Nothing: what the run's settings say.
  std::optional<uint64_t> dependency_arrows = {};
  /// False inside a host that a signal stopped: names then come without source lines.
  bool may_load_libraries = true;
};

struct ExportReport {
  std::string file;      // the name it really got: never one that existed before
  uint64_t records = 0;  // read from the capture
  uint64_t slices = 0;   // written, instants included
  uint64_t lost = 0;     // records the recording side had to drop
  uint64_t damages = 0;  // places where the capture is unreadable
  uint64_t file_bytes = 0;
};

/// Writes under a temporary name and gives the file its own name at the end. The capture is
/// left as it is. Throws nothing but std::bad_alloc.
Result<ExportReport> export_capture(const std::string& capture, const ExportOptions& options);

/// The one line a user sees at the end of a run, without "perseid: ".
std::string describe(const ExportReport& report);

}  // namespace perseid
