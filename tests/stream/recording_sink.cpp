// tests/stream/recording_sink.cpp: prints slices, and looks for overlaps.
#include "tests/stream/recording_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "timeline/analysis/analysis.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

std::string show(const Argument& argument) {
  const std::string value = std::visit(
      [](const auto& v) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, Pointer>) {
          return fmt::format("0x{:x}", v.address);
        } else {
          return fmt::format("{}", v);
        }
      },
      argument.value);
  return fmt::format("{}={}", argument.key, value);
}

}  // namespace

void RecordingSink::slice(const Slice& slice) {
  const std::string& track = tracks.at(slice.track).name;
  first_groups_.try_emplace(slice.track, tracks.at(slice.track).group);
  std::string line = slice.is_instant ? fmt::format("{}: @{} {}", track, slice.begin_ns, slice.name)
                                      : fmt::format("{}: {}..{} {}", track, slice.begin_ns,
                                                    slice.end_ns, slice.name);
  if (!slice.arguments.empty()) {
    line += " {";
    for (const Argument& argument : slice.arguments) {
      line += (line.back() == '{' ? "" : ", ") + show(argument);
    }
    line += "}";
  }
  for (const FlowEnd& flow : slice.flows) {
    line += fmt::format(" {}{}", flow.is_outgoing ? "->" : "<-", flow.id);
  }
  lines.push_back(std::move(line));
  if (!slice.is_instant) intervals_[slice.track].push_back({slice.begin_ns, slice.end_ns});
}

void RecordingSink::counter(TrackId track, int64_t at_ns, double value) {
  lines.push_back(fmt::format("{}: @{} = {}", tracks.at(track).name, at_ns, value));
}

std::vector<std::string> RecordingSink::track_names() const {
  std::vector<Track> order;
  for (const auto& [id, track] : tracks) order.push_back(track);
  std::sort(order.begin(), order.end(), is_shown_above);
  std::vector<std::string> names;
  for (const Track& track : order) names.push_back(track.name);
  return names;
}

TrackGroup RecordingSink::group_at_first_slice(const std::string& name) const {
  for (const auto& [id, track] : tracks) {
    if (track.name == name) return first_groups_.at(id);
  }
  throw std::out_of_range(name);
}

std::string RecordingSink::fact(const std::string& key) const {
  return std::string(fact_text(facts, key));
}

std::string RecordingSink::find_overlap() const {
  for (const auto& [track, unsorted] : intervals_) {
    std::vector<Interval> slices = unsorted;
    std::sort(slices.begin(), slices.end(), [](const Interval& a, const Interval& b) {
      return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
    });
    std::vector<Interval> open;
    for (const Interval& slice : slices) {
      if (slice.begin_ns < 0 || slice.end_ns < slice.begin_ns) {
        return fmt::format("{}..{} is no slice", slice.begin_ns, slice.end_ns);
      }
      while (!open.empty() && open.back().end_ns <= slice.begin_ns) open.pop_back();
      if (!open.empty() && open.back().end_ns < slice.end_ns) {
        return fmt::format("{}: {}..{} and {}..{}", tracks.at(track).name, open.back().begin_ns,
                           open.back().end_ns, slice.begin_ns, slice.end_ns);
      }
      open.push_back(slice);
    }
  }
  return "";
}

Reading read_capture(const std::string& path, const WalkOptions& options) {
  Reading reading;
  Result<std::unique_ptr<Capture>> capture = Capture::open(path, known_kinds());
  if (!capture) {
    reading.error = capture.error();
    return reading;
  }
  // Whatever the capture is about: its report is exact.
  Analysis analysis({});
  WalkOptions with_analysis = options;
  with_analysis.model_sinks.push_back(&analysis);
  reading.report = walk(**capture, reading.sink, with_analysis);
  const ReportData answer = analysis.result(gather_facts(**capture, reading.report), 0);
  if (const std::string broken = broken_identity(answer); !broken.empty()) {
    throw std::runtime_error(broken);
  }
  for (const Damage& damage : (*capture)->damages().items()) reading.damages.push_back(damage.text);
  reading.damage_count = (*capture)->damages().count();
  return reading;
}

}  // namespace perseid::test
