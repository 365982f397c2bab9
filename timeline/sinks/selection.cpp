// timeline/sinks/selection.cpp: decides slice by slice.
#include "timeline/sinks/selection.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace perseid {
namespace {

/// Names of tracks and open slices still follow when the events end.
constexpr uint64_t kBytesAtEnd = 16 * 1024;
constexpr uint64_t kAskEvery = 256;  // events: how large the files are

}  // namespace

bool matches_any(const std::vector<std::string>& patterns, const std::string& name) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    if (pattern.find_first_of("*?[") == std::string::npos) {
      return name.find(pattern) != std::string::npos;
    }
    return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
}

SelectionSink::SelectionSink(TraceSink& to, Selection selection, std::function<uint64_t()> written)
    : ForwardingSink(&to), selection_(std::move(selection)), written_(std::move(written)) {}

/// Users count from the start of the run; the timeline's clock may have another beginning.
void SelectionSink::process(const Process& process) {
  selection_.from_ns += process.begin_ns;
  if (selection_.to_ns != INT64_MAX) selection_.to_ns += process.begin_ns;
  begin_ns_ = process.begin_ns;
  to_->process(process);
}

void SelectionSink::track(const Track& track) {
  if (track.id >= hidden_lanes_.size()) hidden_lanes_.resize(track.id + 1);
  const bool follows_parent = track.parent != 0 && track.parent < hidden_lanes_.size();
  const bool is_hidden =
      follows_parent ? hidden_lanes_[track.parent]
                     : !selection_.lanes.empty() && !matches_any(selection_.lanes, track.name);
  hidden_lanes_[track.id] = is_hidden;
  if (!is_hidden) to_->track(track);
}

bool SelectionSink::is_shown(const Slice& slice) {
  if (slice.track < hidden_lanes_.size() && hidden_lanes_[slice.track]) return false;
  if (slice.end_ns < selection_.from_ns || slice.begin_ns > selection_.to_ns) return false;
  // What Perseid reports about the run itself is never hidden.
  if (selection_.names.empty() || slice.role == SliceRole::kOwn) return true;
  name_ = slice.name;
  return matches_any(selection_.names, name_);
}

bool SelectionSink::is_full() {
  if (is_cut()) return true;
  const bool is_large =
      selection_.max_bytes != UINT64_MAX && events_ % kAskEvery == 0 &&
      written_() + selection_.max_bytes / 64 + kBytesAtEnd >= selection_.max_bytes;
  if (events_ < selection_.max_events && !is_large) return false;
  cut_ns_ = last_ns_;
  return true;
}

void SelectionSink::slice(const Slice& slice) {
  if (!is_shown(slice)) {
    ++left_out_;
    return;
  }
  if (is_full()) {
    if (slice.begin_ns >= cut_ns_) {
      ++left_out_;
      return;
    }
    Slice cut = slice;
    cut.end_ns = std::min(slice.end_ns, cut_ns_);
    arguments_.assign(slice.arguments.begin(), slice.arguments.end());
    arguments_.push_back({"cut", true});
    cut.arguments = arguments_;
    return pass_on(cut);
  }
  last_ns_ = std::max(last_ns_, slice.end_ns);
  ++events_;
  pass_on(slice);
}

/// An arrow needs both ends: readers count an end without its begin as a loss. Where the other end
/// of a message is, another process knows.
void SelectionSink::pass_on(Slice slice) {
  flows_.clear();
  for (const FlowEnd& flow : slice.flows) {
    if (flow.is_outgoing) arrows_[flow.id] = true;
    const bool has_source =
        flow.is_outgoing || flow.kind == FlowKind::kMessage || arrows_.find(flow.id) != nullptr;
    if (has_source) flows_.push_back(flow);
  }
  slice.flows = flows_;
  to_->slice(slice);
}

void SelectionSink::counter(TrackId track, int64_t at_ns, double value) {
  const bool is_hidden = track < hidden_lanes_.size() && hidden_lanes_[track];
  if (is_hidden || at_ns < selection_.from_ns || at_ns > selection_.to_ns || is_full()) {
    ++left_out_;
    return;
  }
  last_ns_ = std::max(last_ns_, at_ns);
  ++events_;
  to_->counter(track, at_ns, value);
}

}  // namespace perseid
