// cupti/decode/markers.cpp: opens and closes slices as NVTX starts and ends them.
#include "cupti/decode/markers.h"

#include <algorithm>

#include "cupti/numbers.h"

namespace perseid::cupti {
namespace {

constexpr Category kCategory{"nvtx"};

ArgumentList describe(const Marker& marker) {
  ArgumentList arguments;
  if (!marker.domain.empty()) arguments.append({"domain", marker.domain});
  if (marker.thread != 0) arguments.append({"thread", uint64_t{marker.thread}});
  return arguments;
}

}  // namespace

void Markers::add(uint32_t flags, uint32_t id, const Marker& marker) {
  if (flags & kMarkerInstant) {
    const ArgumentList arguments = describe(marker);
    return lane().add_instant(marker.at_ns, marker.name, kCategory, arguments.items());
  }
  if (flags & kMarkerStart) {
    if (open_.size() < kMaxOpen) open_[id] = marker;
    return;
  }
  const auto begin = open_.find(id);
  if (!(flags & kMarkerEnd) || begin == open_.end()) {
    ++model_->orphan_ends;
    return;
  }
  show_range(begin->second, marker.at_ns, false);
  open_.erase(begin);
}

void Markers::finish(int64_t end_ns) {
  for (const auto& [id, begin] : open_) show_range(begin, end_ns, true);
  open_.clear();
}

void Markers::show_range(const Marker& begin, int64_t end_ns, bool is_unfinished) {
  ArgumentList arguments = describe(begin);
  if (is_unfinished) arguments.append({"unfinished", true});
  Slice slice;
  slice.begin_ns = begin.at_ns;
  slice.end_ns = std::max(begin.at_ns, end_ns);
  slice.name = begin.name;
  slice.set_category(kCategory);
  slice.arguments = arguments.items();
  lane().add_apart(slice);
}

Lane& Markers::lane() {
  if (!lane_) lane_.emplace(model_->add_row("NVTX", TrackGroup::kLanes, UINT32_MAX));
  return *lane_;
}

}  // namespace perseid::cupti
