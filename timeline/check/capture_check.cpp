// timeline/check/capture_check.cpp: walks a capture and counts instead of writing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "capture/reader.h"
#include "timeline/check/report.h"
#include "timeline/export/pipeline.h"
#include "timeline/walk/decoder.h"

namespace perseid {
namespace {

constexpr size_t kMaxDamageTexts = 100;

/// Counts per lane.
class LaneCounter final : public TraceSink {
 public:
  void process(const Process&) override {}
  void track(const Track& track) override {
    if (tracks_.size() < track.id) {
      tracks_.resize(track.id);
      counts_.resize(track.id);
    }
    tracks_[track.id - 1] = track;
    counts_[track.id - 1].name = track.name;
  }
  void slice(const Slice& slice) override {
    CheckReport::LaneCount& count = counts_[slice.track - 1];
    ++(slice.is_instant ? count.instants : count.slices);
  }
  void counter(TrackId track, int64_t, double) override { ++counts_[track - 1].samples; }
  void finish(const RunFacts& facts) override { facts_ = facts; }

  std::vector<CheckReport::LaneCount> lanes() const {
    std::vector<Track> order = tracks_;
    std::sort(order.begin(), order.end(), is_shown_above);
    std::vector<CheckReport::LaneCount> lanes;
    for (const Track& track : order) {
      // The row that carries the facts was not recorded.
      const bool is_row = track.id != 0;  // some have none, such as the recorder's own thread
      if (is_row && track.group != TrackGroup::kSummary) lanes.push_back(counts_[track.id - 1]);
    }
    return lanes;
  }
  const RunFacts& facts() const noexcept { return facts_; }

 private:
  std::vector<Track> tracks_;  // by id - 1
  std::vector<CheckReport::LaneCount> counts_;
  RunFacts facts_;
};

/// The damage is listed at length below the facts.
bool is_shown_elsewhere(const std::string& key) { return key.starts_with("damage"); }

}  // namespace

Result<CheckReport> check_capture(const std::string& path) {
  Result<std::unique_ptr<Capture>> opened = open_capture(path);
  if (!opened) return Error{opened.error()};
  Capture& capture = **opened;
  LaneCounter counter;
  const PipelineReport shown = show_capture(capture, counter, {});

  CheckReport report;
  report.title = fmt::format("capture {}", capture.path());
  report.facts.emplace_back("format", std::to_string(kFormatVersion), FactScope::kRun);
  for (const Fact& fact : counter.facts()) {
    if (!is_shown_elsewhere(fact.key)) report.facts.push_back(fact);
  }
  report.facts.emplace_back("chunks", std::to_string(capture.chunk_count()), FactScope::kSum);
  report.facts.emplace_back("record_bytes", std::to_string(capture.record_bytes()),
                            FactScope::kSum);
  for (const auto& [kind, count] : shown.walked.records_by_kind) {
    report.kinds.emplace_back(kind_name(kind), count);
  }
  report.lanes = counter.lanes();
  report.lost = shown.losses.total();
  report.kept = describe_kept(shown.losses);
  report.damages = shown.damages;
  for (const Damage& damage : capture.damages().items()) {
    if (report.damage_texts.size() == kMaxDamageTexts) break;
    report.damage_texts.push_back(damage.text);
  }
  return report;
}

}  // namespace perseid
