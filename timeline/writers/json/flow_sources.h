// timeline/writers/json/flow_sources.h: gives every arrow of JSON a start and an id of its own.
//
// In the model an id has one start and may have several ends, and Perfetto draws them all.
// chrome://tracing draws the first only. So each further end becomes a fork: an id of its own, with
// a start that is printed next to the end if the source is already in the file, and with the source
// if that comes later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timeline/drawing/slice.h"
#include "timeline/model/recent_in_order.h"

namespace perseid {

struct FlowSource {
  uint64_t id;
  int64_t begin_ns;
  TrackId track;
  int hundredths;     // see fine_order.h
  bool is_innermost;  // nothing else begins with it: a later start still finds it
  uint32_t ends;      // in the file
};

class FlowSources {
 public:
  /// At most this many sources are remembered. Ids are given one by one, so one that is neither
  /// found nor past has its source still to come; ends of a source that is past share its start.
  static constexpr size_t kMax = size_t{1} << 18;

  struct End {
    uint64_t id;
    const FlowSource* start_again;  // has to be printed with that id, if it is not null
  };
  End end(uint64_t id);

  /// Something without length is in the file: a later start at its time would find it instead of
  /// the slice that began there.
  void add_point(TrackId track, int64_t at_ns) noexcept {
    const size_t bit = point_bit(track, at_ns);
    points_[bit / 64] |= uint64_t{1} << bit % 64;
  }

  /// The ids of forks that wait for this source, whose starts have to be printed with it.
  std::vector<uint64_t> add(FlowSource source);

 private:
  /// Few bits for any number of points: one too many set only makes two ends share a start.
  static constexpr size_t kPointBits = size_t{1} << 20;
  static size_t point_bit(TrackId track, int64_t at_ns) noexcept {
    const uint64_t key = static_cast<uint64_t>(at_ns) + (uint64_t{track} << 48);
    return static_cast<size_t>(key * 0x9e3779b97f4a7c15 >> 44);
  }
  bool has_point(const FlowSource& source) const noexcept {
    const size_t bit = point_bit(source.track, source.begin_ns);
    return (points_[bit / 64] >> bit % 64 & 1) != 0;
  }

  RecentInOrder<FlowSource, kMax> sources_;
  std::vector<uint64_t> points_ = std::vector<uint64_t>(kPointBits / 64);
  std::unordered_map<uint64_t, std::vector<uint64_t>> waiting_;  // by an id that has an end already
};

}  // namespace perseid
