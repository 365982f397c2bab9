// ompt/decode/counters.cpp: see decode_counters.h.
#include "ompt/decode/counters.h"

namespace perseid::ompt {

void Counter::add(int64_t at_ns, int64_t difference) {
  if (difference == 0) return;
  if (track_ == 0) {
    Track track;
    track.kind = TrackKind::kCounter;
    track.group = TrackGroup::kCounters;
    track.order = model_->tracks.next_order(TrackGroup::kCounters);
    track.name = name_;
    track.unit = unit_;
    track_ = model_->tracks.add(std::move(track));
  } else if (at_ns - sampled_ns_ < kGrainNs) {
    value_ += difference;
    changed_ns_ = at_ns;
    return;
  } else if (value_ != sampled_value_) {
    sample(changed_ns_, value_);
  }
  value_ += difference;
  changed_ns_ = at_ns;
  sample(at_ns, value_);
}

void Counter::sample(int64_t at_ns, int64_t value) {
  model_->sink.counter(track_, at_ns, static_cast<double>(value));
  sampled_ns_ = at_ns;
  sampled_value_ = value;
}

void Counter::finish() {
  if (track_ != 0 && value_ != sampled_value_) sample(changed_ns_, value_);
}

}  // namespace perseid::ompt
