// timeline/drawing/sink.h: where finished objects go. Writers and analyses are sinks.
#pragma once

#include <cstdint>

#include "timeline/drawing/slice.h"
#include "timeline/drawing/track.h"
#include "timeline/model/run_facts.h"

namespace perseid {

/// Receives the model in one pass. Slices arrive in order of their end, not of their begin. Devices
/// report late what they did: slices and samples of their tracks come after others that are later.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  virtual void process(const Process& process) = 0;
  /// Before the first slice or sample on the track, and again whenever its name or place
  /// changes: the last call counts.
  virtual void track(const Track& track) = 0;
  virtual void slice(const Slice& slice) = 0;
  virtual void counter(TrackId track, int64_t at_ns, double value) = 0;
  /// Once, after everything else.
  virtual void finish(const RunFacts& facts) = 0;
};

}  // namespace perseid
