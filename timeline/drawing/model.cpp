// timeline/drawing/model.cpp: rows and counters.
#include "timeline/drawing/model.h"

#include <utility>

namespace perseid {
namespace {

/// A program gives a counter its unit in brackets: "memory [bytes]".
void split_unit(Track& track) {
  const size_t open = track.name.rfind(" [");
  if (open == std::string::npos || open == 0 || !track.name.ends_with(']')) return;
  track.unit = track.name.substr(open + 2, track.name.size() - open - 3);
  if (!track.unit.empty()) track.name.resize(open);
}

}  // namespace

Lane Model::add_row(std::string name, TrackGroup group, uint32_t order) {
  Track track;
  track.kind = TrackKind::kLane;
  track.group = group;
  track.order = order;
  track.name = std::move(name);
  return {tracks, sink, tracks.add(std::move(track))};
}

void Model::count(uint32_t name_id, int64_t at_ns, double value) {
  TrackId& track = counters_[name_id];
  if (track == 0) {
    Track made;
    made.kind = TrackKind::kCounter;
    made.group = TrackGroup::kCounters;
    made.order = tracks.next_order(TrackGroup::kCounters);
    made.name = strings.text(name_id);
    split_unit(made);
    track = tracks.add(std::move(made));
  }
  sink.counter(track, at_ns, value);
}

}  // namespace perseid
