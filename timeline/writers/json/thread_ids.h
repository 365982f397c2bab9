// timeline/writers/json/thread_ids.h: a tid for every track of formats that know only threads.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "timeline/drawing/track.h"

namespace perseid {

/// A thread keeps the kernel's id. A lane, or a second thread to which the kernel gave the same
/// id again, gets a small one that no thread has; lanes appear when all threads are known.
class ThreadIds {
 public:
  void announce(const Track& track);
  uint32_t of(TrackId track) {
    if (track < ids_.size() && ids_[track] != 0) [[likely]]
      return ids_[track];
    return give(track);
  }

 private:
  static constexpr uint32_t kSummaryId = 1;  // 0 would be read as the pid

  uint32_t give(TrackId track);

  std::vector<uint32_t> ids_;  // by track; 0: not given yet
  std::unordered_set<uint32_t> taken_;
  uint32_t pid_ = 0;
  uint32_t next_small_ = kSummaryId + 1;
};

}  // namespace perseid
