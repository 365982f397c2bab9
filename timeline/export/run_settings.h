// timeline/export/run_settings.h: what the settings of a run set for its timeline. Every way from
// a capture to something shown reads them here.
#pragma once

#include <cstdint>
#include <string>

#include "capture/manifest.h"
#include "timeline/drawing/dependency_arrows.h"
#include "timeline/report/report_text.h"

namespace perseid {

struct RunSettings {
  uint64_t dependency_arrows = DependencyArrows::kDefaultLimit;  // at most
  uint64_t max_events = UINT64_MAX;                              // slices and samples
  uint64_t max_bytes = UINT64_MAX;                               // of one file, before compression
  std::string format;  // "json", or several with + between them; "": by the name of `out`
  std::string out;     // where the run wanted its timeline; "": unknown
  ReportLength report = ReportLength::kShort;  // how much of it is printed
};

RunSettings read_run_settings(const Manifest& manifest);

}  // namespace perseid
