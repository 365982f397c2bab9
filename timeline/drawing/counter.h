// timeline/drawing/counter.h: a value over time, shown as a track of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "timeline/drawing/sink.h"
#include "timeline/drawing/tracks.h"

namespace perseid {

/// Gives the sink changes only. A count never falls below 0, whatever records are missing.
class Counter {
 public:
  struct Style {
    /// Changes that follow a sample faster than this are shown as one, the last: a counter that
    /// changes with every task has as many samples as tasks. Needs finish().
    int64_t grain_ns = 0;
    /// Has no track before its first change, and is drawn below those that have one by then.
    bool is_hidden_until_used = false;
  };

  /// Stands below the counters that were made before it.
  Counter(Tracks& tracks, TraceSink& sink, std::string name, std::string unit = "")
      : Counter(tracks, sink, std::move(name), std::move(unit), Style{}) {}
  Counter(Tracks& tracks, TraceSink& sink, std::string name, std::string unit, Style style)
      : tracks_(&tracks),
        sink_(&sink),
        name_(std::move(name)),
        unit_(std::move(unit)),
        grain_ns_(style.grain_ns) {
    if (!style.is_hidden_until_used) make_track();
  }

  void set(int64_t at_ns, double value) {
    if (value == value_) return;
    if (track_ == 0) make_track();
    if (has_sample_ && at_ns - sampled_ns_ < grain_ns_) {
      value_ = value;
      changed_ns_ = at_ns;
      return;
    }
    finish();
    value_ = value;
    sample(at_ns);
  }
  void add(int64_t at_ns, double change) { set(at_ns, std::max(0.0, value_ + change)); }
  /// Shows the last change, if it followed a sample too fast.
  void finish() {
    if (value_ != sampled_value_) sample(changed_ns_);
  }
  double value() const noexcept { return value_; }

 private:
  void make_track() {
    Track track;
    track.kind = TrackKind::kCounter;
    track.group = TrackGroup::kCounters;
    track.order = tracks_->next_order(TrackGroup::kCounters);
    track.name = name_;
    track.unit = unit_;
    track_ = tracks_->add(std::move(track));
  }
  void sample(int64_t at_ns) {
    has_sample_ = true;
    sampled_ns_ = at_ns;
    sampled_value_ = value_;
    sink_->counter(track_, at_ns, value_);
  }

  Tracks* tracks_;
  TraceSink* sink_;
  std::string name_;
  std::string unit_;
  int64_t grain_ns_;
  TrackId track_ = 0;  // 0: not made yet
  double value_ = 0;
  int64_t changed_ns_ = 0;  // to `value_`, if that was not shown
  double sampled_value_ = 0;
  int64_t sampled_ns_ = 0;
  bool has_sample_ = false;
};

}  // namespace perseid
