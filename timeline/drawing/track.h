// timeline/drawing/track.h: the rows of a timeline.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace perseid {

using TrackId = uint32_t;  // 1, 2, ... in order of first appearance

struct Process {
  uint32_t pid = 0;
  std::string name;
  std::vector<std::string> labels;  // shown next to the name: host, rank, job
  /// Different for every process of a job, so that files of several ranks can become one.
  uint64_t identity = 0;
  int64_t start_real_ns = 0;  // CLOCK_REALTIME at time 0; 0: unknown
  int64_t start_mono_ns = 0;  // CLOCK_MONOTONIC there
  int64_t begin_ns = 0;       // of the session, on the timeline's clock
};

enum class TrackKind : uint8_t {
  kThread,   // a thread of the host
  kLane,     // a row of the program's own or of a runtime: without a thread
  kCounter,  // values over time instead of slices
};

/// Where a track is drawn below its process, from top to bottom.
enum class TrackGroup : uint8_t {
  kSummary,
  kPhases,
  kSubmitters,  // threads that hand out tasks: arrows from them lead downwards
  kWorkers,
  kDevices,
  kMemory,
  kThreads,
  kLanes,
  kCounters
};

struct Track {
  TrackId id = 0;
  TrackKind kind = TrackKind::kThread;
  TrackGroup group = TrackGroup::kThreads;
  uint32_t pid = 0;
  uint32_t tid = 0;       // kThread only: the kernel's id
  TrackId parent = 0;     // of a sub-lane: the track whose slices overlapped
  uint32_t sub_lane = 0;  // 0, or 1, 2, ... below the parent
  uint32_t order = 0;     // within the group
  std::string name;
  std::string unit;  // kCounter only: "bytes", "tasks"; "": unknown
};

/// The order in which a timeline shows them: by group, each sub-lane below its parent.
inline bool is_shown_above(const Track& a, const Track& b) {
  const auto key = [](const Track& track) {
    const TrackId root = track.parent != 0 ? track.parent : track.id;
    return std::tuple(track.group, track.order, root, track.sub_lane);
  };
  return key(a) < key(b);
}

}  // namespace perseid
