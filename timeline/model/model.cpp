// timeline/model/model.cpp: counters.
#include "timeline/model/model.h"

namespace perseid {

void Model::count(uint32_t name_id, int64_t at_ns, double value) {
  TrackId& track = counters_[name_id];
  if (track == 0) {
    Track made;
    made.kind = TrackKind::kCounter;
    made.group = TrackGroup::kCounters;
    made.order = tracks.next_order(TrackGroup::kCounters);
    made.name = strings.text(name_id);
    track = tracks.add(std::move(made));
  }
  sink.counter(track, at_ns, value);
}

}  // namespace perseid
