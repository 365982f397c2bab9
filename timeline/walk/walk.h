// timeline/walk/walk.h: one pass over a capture: merge, decode, hand everything to a sink.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "capture/reader.h"
#include "timeline/drawing/dependency_arrows.h"
#include "timeline/drawing/sink.h"
#include "timeline/model/batch.h"
#include "timeline/walk/losses.h"

namespace perseid {

struct WalkReport {
  uint64_t records = 0;
  std::map<uint16_t, uint64_t> records_by_kind;
  uint64_t lost = 0;               // records the recording side had to drop
  uint64_t overwritten_bytes = 0;  // of flight recorders
  int64_t begin_ns = 0;            // of the session
  int64_t covered_from_ns = 0;     // from here on nothing of any thread is overwritten
  uint64_t unreadable_bytes = 0;
  uint64_t short_records = 0;  // with fewer words than their event's fields need
  uint64_t unmatched_flows = 0;
  uint64_t orphan_ends = 0;
  int64_t end_ns = 0;    // time of the last record
  RunFacts notes;        // of the decoders
  std::string stripped;  // a program or library whose code has no names; "": none
  ClockLine clock;       // of the times
};

struct WalkOptions {
  /// Called now and then with the share done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
  uint64_t dependency_arrows = DependencyArrows::kDefaultLimit;  // at most
  /// False where dlopen and malloc of others may be locked for ever; see Symbols.
  bool may_load_libraries = true;
  /// The clock of the whole job, where more than this capture is known of it.
  std::optional<ClockLine> clock = {};
  uint32_t pid = 0;  // 0: the one that the capture gives itself
  /// Take the rows of what happened; they see finish() before the drawing's sink does.
  std::vector<ModelSink*> model_sinks = {};
};

/// The sink has seen its finish() when this returns.
WalkReport walk(Capture& capture, TraceSink& sink, const WalkOptions& options);

Losses losses_of(const Capture& capture, const WalkReport& report);

/// What a user wants to know of a run: the capture's manifest, how it ended, losses, damage.
RunFacts gather_facts(Capture& capture, const WalkReport& report);

/// "finished", "signal 15", "killed" or "still running".
std::string describe_end(const Capture& capture);

}  // namespace perseid
