// timeline/sinks/no_drawing.h: for walks of which only the rows are of interest.
#pragma once

#include "timeline/drawing/sink.h"

namespace perseid {

class NoDrawing final : public TraceSink {
 public:
  void process(const Process&) override {}
  void track(const Track&) override {}
  void slice(const Slice&) override {}
  void counter(TrackId, int64_t, double) override {}
  void finish(const RunFacts&) override {}
};

}  // namespace perseid
