// timeline/drawing/tracks.h: gives out tracks and reports them to the sink.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "timeline/drawing/sink.h"
#include "timeline/drawing/track.h"

namespace perseid {

class Tracks {
 public:
  Tracks(TraceSink& sink, uint32_t pid) : sink_(&sink), pid_(pid) {}

  /// `track.id` and `track.pid` are filled in.
  /// The sink does not see a hidden one before show().
  TrackId add(Track track, bool is_hidden = false);
  void show(TrackId id) { sink_->track(tracks_[id - 1]); }
  /// The numbered row below `parent`.
  TrackId add_sub_lane(TrackId parent, uint32_t sub_lane);
  /// The track's sub-lanes follow.
  void rename(TrackId id, std::string name);
  /// The track's sub-lanes follow.
  void move(TrackId id, TrackGroup group, uint32_t order);

  const Track& operator[](TrackId id) const { return tracks_[id - 1]; }
  uint32_t pid() const noexcept { return pid_; }
  /// The next free place in the group, for tracks that are drawn in order of appearance.
  uint32_t next_order(TrackGroup group) const;

 private:
  TraceSink* sink_;
  uint32_t pid_;
  /// The tracks below `id`: sub-lanes are few where tracks are many.
  std::span<const TrackId> below(TrackId id) const;
  void note_order(const Track& track);

  std::vector<Track> tracks_;
  std::unordered_map<TrackId, std::vector<TrackId>> sub_lanes_;  // by parent
  std::map<TrackGroup, uint32_t> next_orders_;
};

}  // namespace perseid
