// timeline/writers/pftrace_tracks.h: the tree of tracks of a Perfetto protobuf trace.
//
//   process "solver", labels "host node0", "rank 3"
//     thread "CPU 0", thread "main", ...        what is or is next to a thread, in order
//     Memory > "RAM → CUDA 0"                   rows without a thread, by what they belong to
//     Counters > "ready tasks"                  with their units
//
// Every track has a sequence of its own, whose packets need not name it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "timeline/drawing/slice.h"
#include "timeline/drawing/track.h"
#include "timeline/model/message_ids.h"
#include "timeline/writers/json/thread_ids.h"
#include "timeline/writers/json/tie_order.h"
#include "timeline/writers/proto_bytes.h"

namespace perseid {

/// A track on its way into the file.
struct TrackSequence {
  Track track;
  uint64_t uuid = 0;
  uint32_t sequence = 0;
  bool is_described = false;
  bool has_changed = false;     // since it was described
  uint32_t packets = 0;         // since its state was last repeated
  uint32_t generation = 0;      // how often it was
  std::vector<uint32_t> names;  // by number: the generation in which it was written
  std::vector<uint32_t> categories;
  std::vector<uint32_t> keys;
  std::vector<uint32_t> colours;
  TieOrder ties;
};

class PftraceTracks {
 public:
  explicit PftraceTracks(ProtoBytes& out) : out_(&out) {}

  void add(const Process& process);
  void add(const Track& track);
  TrackSequence& operator[](TrackId id) noexcept { return sequences_[id - 1]; }
  size_t size() const noexcept { return sequences_.size(); }

  /// An id that no other file has, unless the arrow leads from file to file.
  uint64_t flow_id(uint64_t id) const noexcept {
    return ((id & kSharedFlow) != 0 ? id : flow_base_ + id) & kFlowMask;
  }

  /// Writes for the reader what the sequence is about, and that its names start anew.
  void write_state(TrackSequence& to);
  /// Descriptors of tracks without events, and of those that changed their name.
  void write_rest();

 private:
  struct ProcessTree {
    Process process;
    uint64_t uuid = 0;
    uint32_t sequence = 0;
    uint32_t place = 0;  // among processes
    bool is_described = false;
    ThreadIds thread_ids;
    uint32_t described_groups = 0;  // a bit per TrackGroup
  };

  ProcessTree& tree_of(uint32_t pid);
  void describe(ProcessTree& tree);
  void describe_group(ProcessTree& tree, TrackGroup group);
  void describe(TrackSequence& sequence);
  void write_clocks(const Process& process, uint32_t sequence, bool is_own);

  ProtoBytes* out_;
  std::deque<ProcessTree> trees_;
  std::deque<TrackSequence> sequences_;  // by track id - 1; references stay good
  bool is_root_described_ = false;
  static constexpr uint64_t kFlowMask = (uint64_t{1} << 56) - 1;  // eight bytes as a varint
  uint64_t flow_base_ = 0;
};

}  // namespace perseid
