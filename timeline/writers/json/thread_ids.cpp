// timeline/writers/json/thread_ids.cpp: keeps real ids and finds free ones.
#include "timeline/writers/json/thread_ids.h"

namespace perseid {

void ThreadIds::announce(const Track& track) {
  if (track.id >= ids_.size()) ids_.resize(track.id + 1);
  pid_ = track.pid;
  if (ids_[track.id] == 0 && track.tid != 0 && track.kind == TrackKind::kThread &&
      taken_.insert(track.tid).second) {
    ids_[track.id] = track.tid;
  }
  // Viewers that do not read the order sort by id: the summary stays on top there too.
  if (ids_[track.id] == 0 && track.group == TrackGroup::kSummary && pid_ != kSummaryId &&
      taken_.insert(kSummaryId).second) {
    ids_[track.id] = kSummaryId;
  }
  if (track.kind == TrackKind::kLane) of(track.id);
}

uint32_t ThreadIds::give(TrackId track) {
  if (track >= ids_.size()) ids_.resize(track + 1);
  // tid == pid is the main thread to every reader.
  while (next_small_ == pid_ || !taken_.insert(next_small_).second) ++next_small_;
  return ids_[track] = next_small_;
}

}  // namespace perseid
