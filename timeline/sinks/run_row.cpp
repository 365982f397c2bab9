// timeline/sinks/run_row.cpp: collects marks, and writes the row.
#include "timeline/sinks/run_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace perseid {
namespace {

std::string title(const Process& process, const RunFacts& facts) {
  std::string text = process.name;
  const std::string_view host = fact_text(facts, "host");
  // The name of a rank has its host already.
  if (!host.empty() && !text.ends_with(host)) text += fmt::format(" on {}", host);
  const std::string_view end = fact_text(facts, "end");
  if (!end.empty() && end != "finished") text += fmt::format(", {}", end);
  for (const char* const key : {"lost", "damages"}) {
    const std::string_view count = fact_text(facts, key);
    if (!count.empty() && count != "0") text += fmt::format(", {} {}", count, key);
  }
  return text;
}

}  // namespace

void RunRow::process(const Process& process) {
  process_ = process;
  begin_ns_ = end_ns_ = process.begin_ns;
  to_->process(process);
}

void RunRow::track(const Track& track) {
  if (track.id >= lane_names_.size()) lane_names_.resize(track.id + 1);
  lane_names_[track.id] = track.name;
  to_->track(track);
}

void RunRow::slice(const Slice& slice) {
  begin_ns_ = std::min(begin_ns_, slice.begin_ns);
  end_ns_ = std::max(end_ns_, slice.end_ns);
  if (slice.is_instant && slice.role == SliceRole::kOwn && marks_.size() < kMaxMarks) [[unlikely]] {
    marks_.push_back({slice.begin_ns, std::string(slice.name),
                      slice.track < lane_names_.size() ? lane_names_[slice.track] : ""});
  }
  to_->slice(slice);
}

void RunRow::counter(TrackId track, int64_t at_ns, double value) {
  begin_ns_ = std::min(begin_ns_, at_ns);
  end_ns_ = std::max(end_ns_, at_ns);
  to_->counter(track, at_ns, value);
}

void RunRow::finish(const RunFacts& facts) {
  write_row(facts);
  to_->finish(facts);
}

void RunRow::write_row(const RunFacts& facts) {
  Track track;
  track.id = static_cast<TrackId>(std::max<size_t>(lane_names_.size(), 1));
  track.kind = TrackKind::kLane;
  track.group = TrackGroup::kSummary;
  track.pid = process_.pid;
  track.name = kRunRowName;
  row_to_->track(track);

  const auto write = [&](int64_t begin_ns, int64_t end_ns, std::string_view name, uint32_t depth,
                         bool begins_with_parent, std::span<const Argument> arguments) {
    Slice slice;
    slice.track = track.id;
    slice.begin_ns = begin_ns;
    slice.end_ns = end_ns;
    slice.is_instant = begin_ns == end_ns;
    slice.begins_with_parent = begins_with_parent;
    slice.depth = depth;
    slice.name = name;
    slice.set_category(kOwnCategory);
    slice.arguments = arguments;
    row_to_->slice(slice);
  };
  std::ranges::stable_sort(marks_, {}, &Mark::at_ns);
  for (const Mark& mark : marks_) {
    const Argument where{"lane", std::string_view(mark.lane)};
    write(mark.at_ns, mark.at_ns, mark.name, 1, mark.at_ns == begin_ns_, {&where, 1});
  }
  if (cut_ns_ < end_ns_) {
    const Argument reason{"why", std::string_view(cut_reason_)};
    write(cut_ns_, end_ns_, "not in this timeline", 1, cut_ns_ == begin_ns_, {&reason, 1});
  }
  std::vector<Argument> arguments;
  for (const Fact& fact : facts) arguments.push_back({fact.key, std::string_view(fact.value)});
  write(begin_ns_, end_ns_, title(process_, facts), 0, false, arguments);
}

}  // namespace perseid
