// timeline/model/tracks.cpp: track ids, names of sub-lanes.
#include "timeline/model/tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {
namespace {

std::string sub_lane_name(const std::string& parent, uint32_t sub_lane) {
  return fmt::format("{} ({})", parent, sub_lane + 1);
}

}  // namespace

TrackId Tracks::add(Track track) {
  track.id = static_cast<TrackId>(tracks_.size() + 1);
  track.pid = pid_;
  tracks_.push_back(std::move(track));
  sink_->track(tracks_.back());
  return tracks_.back().id;
}

TrackId Tracks::add_sub_lane(TrackId parent, uint32_t sub_lane) {
  Track track = (*this)[parent];
  track.kind = TrackKind::kLane;
  track.tid = 0;
  track.parent = parent;
  track.sub_lane = sub_lane;
  track.name = sub_lane_name(track.name, sub_lane);
  return add(std::move(track));
}

void Tracks::rename(TrackId id, std::string name) {
  Track& renamed = tracks_[id - 1];
  if (renamed.name == name) return;
  renamed.name = std::move(name);
  sink_->track(renamed);
  for (Track& track : tracks_) {
    if (track.parent != id) continue;
    track.name = sub_lane_name(renamed.name, track.sub_lane);
    sink_->track(track);
  }
}

void Tracks::move(TrackId id, TrackGroup group, uint32_t order) {
  for (Track& track : tracks_) {
    if (track.id != id && track.parent != id) continue;
    if (track.group == group && track.order == order) continue;
    track.group = group;
    track.order = order;
    sink_->track(track);
  }
}

uint32_t Tracks::next_order(TrackGroup group) {
  uint32_t order = 0;
  for (const Track& track : tracks_) {
    if (track.group == group) order = std::max(order, track.order + 1);
  }
  return order;
}

}  // namespace perseid
