// timeline/walk/job_clocks.cpp: chooses the best clock measurement of each machine of a job.
#include "timeline/walk/job_clocks.h"

#include <algorithm>
#include <utility>

#include "capture/file.h"
#include "capture/format.h"

namespace perseid {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;
/// A device's clock may show something a little before the session began.
constexpr int64_t kBeforeFirstNs = 1'000'000;

int64_t end_of(const RecordedState& state) {
  return state.anchors.empty() ? 0 : state.anchors.back().mono_ns;
}

/// A machine that nobody measured, by the date: what the reference's clock showed at the same
/// date is its time.
ClockLine through_reference(const CaptureHead& head, const CaptureHead& reference) {
  if (head.state.anchors.empty() || reference.state.anchors.empty()) return {};
  const ClockAnchor& known = reference.state.anchors.front();
  std::vector<ClockLine::Moment> moments;
  for (const ClockAnchor* anchor : {&head.state.anchors.front(), &head.state.anchors.back()}) {
    moments.push_back({anchor->mono_ns, anchor->real_ns - known.real_ns + known.mono_ns});
  }
  return {std::move(moments), 0, ClockSource::kRealtime};
}

/// `line` on a clock that shows 0 at `origin_ns`.
ClockLine moved(const ClockLine& line, int64_t origin_ns) {
  constexpr int64_t kFarNs = int64_t{1} << 50;
  std::vector<ClockLine::Moment> moments = {{0, line.map(0) - origin_ns}};
  if (line.has_drift()) moments.push_back({kFarNs, line.map(kFarNs) - origin_ns});
  return {std::move(moments), line.error_ns(), line.source()};
}

}  // namespace

CaptureHead read_head(const std::string& path) {
  CaptureHead head;
  head.path = path;
  const File manifest(path + "/" + kManifestFile, File::Link::kRefused);
  head.manifest = parse_manifest(manifest.read_text(kMaxManifestBytes));
  head.state = read_state(File(path + "/" + kStateFile, File::Link::kRefused));
  return head;
}

std::string JobClocks::machine_of(const CaptureHead& head) {
  const std::string_view machine = head.manifest.get("machine");
  return std::string(machine.empty() ? head.manifest.get("host") : machine);
}

JobClocks::JobClocks(const std::vector<CaptureHead>& heads) {
  compare(heads);
  int64_t origin_ns = INT64_MAX;
  for (const CaptureHead& head : heads) {
    const ClockLine& line = line_of(head);
    if (head.state.anchors.empty() || line.source() == ClockSource::kAlone) continue;
    origin_ns = std::min(origin_ns, line.map(head.state.anchors.front().mono_ns));
  }
  if (origin_ns == INT64_MAX) return;
  for (auto& [machine, line] : lines_) {
    if (line.source() != ClockSource::kAlone) line = moved(line, origin_ns - kBeforeFirstNs);
  }
}

void JobClocks::compare(const std::vector<CaptureHead>& heads) {
  const CaptureHead* reference = nullptr;
  for (const CaptureHead& head : heads) {
    ClockLine line = measured_line(head.state, end_of(head.state));
    if (line.source() == ClockSource::kShared && reference == nullptr) reference = &head;
    const auto [known, is_new] = lines_.try_emplace(machine_of(head), line);
    if (is_new || line.source() == ClockSource::kAlone) continue;
    const bool is_better = known->second.source() == ClockSource::kAlone ||
                           line.source() == ClockSource::kShared ||
                           (line.has_drift() && !known->second.has_drift()) ||
                           (line.has_drift() == known->second.has_drift() &&
                            line.error_ns() < known->second.error_ns());
    if (is_better && known->second.source() != ClockSource::kShared) known->second = line;
  }
  if (lines_.size() == 1) {
    lines_.begin()->second = ClockLine({}, 0, ClockSource::kShared);
    return;
  }
  for (const CaptureHead& head : heads) {
    ClockLine& line = lines_[machine_of(head)];
    if (line.source() != ClockSource::kAlone) continue;
    line = reference != nullptr ? through_reference(head, *reference)
                                : realtime_line(head.state.anchors);
  }
}

const ClockLine& JobClocks::line_of(const CaptureHead& head) const {
  return lines_.at(machine_of(head));
}

}  // namespace perseid
