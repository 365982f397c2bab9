// timeline/writers/thread_ids.cpp: keeps real ids and finds free ones.
#include "timeline/writers/thread_ids.h"

namespace perseid {

void ThreadIds::announce(const Track& track) {
  if (track.id >= ids_.size()) ids_.resize(track.id + 1);
  // tid == pid is the main thread to every reader, and 0 is read as the pid.
  if (taken_.empty()) taken_.insert(0);
  const bool is_main = track.kind == TrackKind::kThread && track.tid == track.pid;
  if (ids_[track.id] == 0 && track.kind == TrackKind::kThread && taken_.insert(track.tid).second) {
    ids_[track.id] = track.tid;
  }
  if (!is_main) taken_.insert(track.pid);
  if (track.kind == TrackKind::kLane) of(track.id);
}

uint32_t ThreadIds::give(TrackId track) {
  if (track >= ids_.size()) ids_.resize(track + 1);
  while (!taken_.insert(next_small_).second) ++next_small_;
  return ids_[track] = next_small_;
}

}  // namespace perseid
