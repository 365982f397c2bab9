// timeline/sinks/forwarding_sink.h: a sink that hands everything on; what is between walk and
// writers overrides what it changes.
#pragma once

#include "timeline/drawing/sink.h"

namespace perseid {

class ForwardingSink : public TraceSink {
 public:
  /// By address: a reference to another forwarding sink would mean a copy of it.
  explicit ForwardingSink(TraceSink* to) : to_(to) {}

  void process(const Process& process) override { to_->process(process); }
  void track(const Track& track) override { to_->track(track); }
  void slice(const Slice& slice) override { to_->slice(slice); }
  void counter(TrackId track, int64_t at_ns, double value) override {
    to_->counter(track, at_ns, value);
  }
  void finish(const RunFacts& facts) override { to_->finish(facts); }

 protected:
  TraceSink* to_;
};

}  // namespace perseid
