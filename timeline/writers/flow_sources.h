// timeline/writers/flow_sources.h: where arrows of JSON start, for those with several ends.
//
// Perfetto lets several ends share the id of one start. chrome://tracing draws the first of them
// only, so each further end gets a start and an id of its own, printed when the end is.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Remembers the latest 262144. Ids grow one by one, so their low bits are a place in the table;
/// an id that lost its place keeps to the shared start.
class FlowSources {
 public:
  static constexpr size_t kMost = size_t{1} << 18;

  void add(const FlowSource& source) {
    if (count_++ >= sources_.size() && sources_.size() < kMost) grow();
    sources_[place_of(source.id)] = source;
  }

  /// For an end: the start that has to be printed again; nullptr for the first end.
  const FlowSource* start_again(uint64_t id) noexcept {
    if (sources_.empty()) return nullptr;
    FlowSource& source = sources_[place_of(id)];
    if (source.id != id || !source.is_innermost) return nullptr;
    return std::exchange(source.has_first_end, true) ? &source : nullptr;
  }

 private:
  size_t place_of(uint64_t id) const noexcept { return id & (sources_.size() - 1); }

  void grow() {
    std::vector<FlowSource> smaller(sources_.empty() ? 1024 : 2 * sources_.size());
    sources_.swap(smaller);
    for (const FlowSource& source : smaller) {
      if (source.id != 0) sources_[place_of(source.id)] = source;
    }
  }

  std::vector<FlowSource> sources_;
  size_t count_ = 0;
};

}  // namespace perseid
