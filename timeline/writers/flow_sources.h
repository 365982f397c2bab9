// timeline/writers/flow_sources.h: gives every arrow of JSON a start and an id of its own.
//
// In the model an id has one start and may have several ends, and Perfetto draws them all.
// chrome://tracing draws the first only. So each further end becomes a fork: an id of its own, with
// a start that is printed beside the end if the source is already in the file, and with the source
// if that comes later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "timeline/model/track.h"

namespace perseid {

struct FlowSource {
  uint64_t id = 0;
  int64_t begin_ns = 0;
  TrackId track = 0;
  int hundredths = 0;         // see fine_order.h
  bool is_innermost = false;  // nothing else begins with it: a later start still finds it
  bool has_first_end = false;
};

class FlowSources {
 public:
  /// So many sources are remembered. Ids grow one by one, so their low bits are a place in a
  /// table; ends of one that lost its place share its start.
  static constexpr size_t kMost = size_t{1} << 18;

  struct End {
    uint64_t id;
    const FlowSource* start_again;  // has to be printed with that id, if it is not null
  };
  End end(uint64_t id);

  /// The ids of forks that wait for this source, whose starts have to be printed with it.
  std::vector<uint64_t> add(FlowSource source);

 private:
  static constexpr uint64_t kFork = uint64_t{1} << 63;  // no id of the model has it

  size_t place_of(uint64_t id) const noexcept { return id & (sources_.size() - 1); }
  void grow();

  std::vector<FlowSource> sources_;
  size_t count_ = 0;
  uint64_t forks_ = 0;
  std::unordered_map<uint64_t, std::vector<uint64_t>> waiting_;  // by an id that has an end already
};

}  // namespace perseid
