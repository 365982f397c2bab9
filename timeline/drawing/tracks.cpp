// timeline/drawing/tracks.cpp: track ids, names of sub-lanes.
#include "timeline/drawing/tracks.h"

#include <fmt/format.h>

#include <algorithm>

namespace perseid {
namespace {

std::string sub_lane_name(const std::string& parent, uint32_t sub_lane) {
  return fmt::format("{} ({})", parent, sub_lane + 1);
}

}  // namespace

TrackId Tracks::add(Track track, bool is_hidden) {
  track.id = static_cast<TrackId>(tracks_.size() + 1);
  track.pid = pid_;
  note_order(track);
  tracks_.push_back(std::move(track));
  if (!is_hidden) sink_->track(tracks_.back());
  return tracks_.back().id;
}

TrackId Tracks::add_sub_lane(TrackId parent, uint32_t sub_lane) {
  Track track = (*this)[parent];
  track.kind = TrackKind::kLane;
  track.tid = 0;
  track.parent = parent;
  track.sub_lane = sub_lane;
  track.name = sub_lane_name(track.name, sub_lane);
  const TrackId id = add(std::move(track));
  sub_lanes_[parent].push_back(id);
  return id;
}

void Tracks::rename(TrackId id, std::string name) {
  Track& renamed = tracks_[id - 1];
  if (renamed.name == name) return;
  renamed.name = std::move(name);
  sink_->track(renamed);
  for (const TrackId sub_lane : below(id)) {
    Track& track = tracks_[sub_lane - 1];
    track.name = sub_lane_name(renamed.name, track.sub_lane);
    sink_->track(track);
  }
}

void Tracks::move(TrackId id, TrackGroup group, uint32_t order) {
  const auto move_one = [&](Track& track) {
    if (track.group == group && track.order == order) return;
    track.group = group;
    track.order = order;
    note_order(track);
    sink_->track(track);
  };
  move_one(tracks_[id - 1]);
  for (const TrackId sub_lane : below(id)) move_one(tracks_[sub_lane - 1]);
}

std::span<const TrackId> Tracks::below(TrackId id) const {
  const auto found = sub_lanes_.find(id);
  return found != sub_lanes_.end() ? std::span<const TrackId>(found->second)
                                   : std::span<const TrackId>();
}

void Tracks::note_order(const Track& track) {
  uint32_t& next = next_orders_[track.group];
  next = std::max(next, track.order + 1);
}

uint32_t Tracks::next_order(TrackGroup group) const {
  const auto known = next_orders_.find(group);
  return known != next_orders_.end() ? known->second : 0;
}

}  // namespace perseid
