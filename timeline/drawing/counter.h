// timeline/drawing/counter.h: a value over time, shown as a track of its own.
#pragma once

#include <algorithm>
#include <string>

#include "timeline/drawing/sink.h"
#include "timeline/drawing/tracks.h"

namespace perseid {

/// Tells the sink changes only. A count never falls below 0, whatever records are missing.
class Counter {
 public:
  /// Stands below the counters that were made before it.
  Counter(Tracks& tracks, TraceSink& sink, std::string name, std::string unit = "") : sink_(&sink) {
    Track track;
    track.kind = TrackKind::kCounter;
    track.group = TrackGroup::kCounters;
    track.order = tracks.next_order(TrackGroup::kCounters);
    track.name = std::move(name);
    track.unit = std::move(unit);
    track_ = tracks.add(std::move(track));
  }

  void set(int64_t at_ns, double value) {
    if (value == value_) return;
    value_ = value;
    sink_->counter(track_, at_ns, value);
  }
  void add(int64_t at_ns, double change) { set(at_ns, std::max(0.0, value_ + change)); }
  double value() const noexcept { return value_; }

 private:
  TraceSink* sink_;
  TrackId track_ = 0;
  double value_ = 0;
};

}  // namespace perseid
