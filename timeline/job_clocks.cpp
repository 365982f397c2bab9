// timeline/job_clocks.cpp: see job_clocks.h.
#include "timeline/job_clocks.h"

#include "capture/file.h"
#include "capture/format.h"

namespace perseid {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;

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

}  // namespace

CaptureHead read_head(const std::string& path) {
  CaptureHead head;
  head.path = path;
  head.manifest = parse_manifest(File(path + "/" + kManifestFile).read_text(kMaxManifestBytes));
  head.state = read_state(File(path + "/" + kStateFile));
  return head;
}

std::string JobClocks::machine_of(const CaptureHead& head) {
  const std::string_view machine = head.manifest.get("machine");
  return std::string(machine.empty() ? head.manifest.get("host") : machine);
}

JobClocks::JobClocks(const std::vector<CaptureHead>& heads) {
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
