// timeline/export/pipeline.h: the one way from a capture to what is shown of it, whoever asks.
//
//   capture -> walk (merge of its streams, decoders) -> RunRow -> Selection -> the caller's sink
//                    |                                     |                         ^
//                    +-> Analysis -> take_report           +---- its row, uncut -----+
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "capture/reader.h"
#include "capture/result.h"
#include "timeline/analysis/analysis.h"
#include "timeline/drawing/sink.h"
#include "timeline/sinks/selection.h"
#include "timeline/walk/walk.h"

namespace perseid {

struct PipelineOptions {
  /// Limits that are not set here are those of the run's settings.
  Selection selection = {};
  std::optional<uint64_t> dependency_arrows = {};  // at most; nothing: as in the run's settings
  /// Bytes of the largest file so far. Empty: no file is written, and max_bytes limits nothing.
  std::function<uint64_t()> written = {};
  /// Called now and then with the share done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
  /// False where dlopen and malloc of others may be locked for ever; see Symbols.
  bool may_load_libraries = true;
  /// The clock of the whole job, where more than this capture is known of it.
  std::optional<ClockLine> clock = {};
  uint32_t pid = 0;  // 0: the one that the capture gives itself
  /// Called once, before the sink sees its finish(). Empty: nothing is analysed.
  std::function<void(const ReportData&)> take_report = {};
  AnalysisOptions analysis = {};
};

struct PipelineReport {
  WalkReport walked;
  Losses losses;
  uint64_t damages = 0;  // places where the capture is unreadable
  uint64_t slices = 0;   // shown, instants included
  int64_t begin_ns = 0;  // of all that was recorded
  int64_t end_ns = 0;
  std::string cut;  // "": everything that was selected is shown
};

/// For all producers that have a decoder.
Result<std::unique_ptr<Capture>> open_capture(const std::string& path);

/// The sink has seen its finish() when this returns.
PipelineReport show_capture(Capture& capture, TraceSink& to, const PipelineOptions& options);

}  // namespace perseid
