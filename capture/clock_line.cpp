// capture/clock_line.cpp: interpolation, and where its points come from.
#include "capture/clock_line.h"

#include <algorithm>

#include "capture/clock_limits.h"

namespace perseid {
namespace {

__extension__ using Wide = __int128;  // products of nanoseconds

/// Doubles hold 2^53 exactly; JSON readers compute times with them. Half of it are 52 days.
constexpr int64_t kRealtimePeriodNs = int64_t{1} << 52;
/// Clocks that a time service steers run apart by less than this.
constexpr int64_t kAssumedDriftPerBillion = 1000;

}  // namespace

int64_t ClockLine::map(int64_t own_ns) const noexcept {
  if (moments_.empty()) return own_ns;
  const Moment& first = moments_.front();
  const Moment& last = moments_.back();
  const Wide offset = Wide{first.common_ns} - first.own_ns;
  Wide mapped = own_ns + offset;
  if (last.own_ns > first.own_ns) {
    const Wide drift = Wide{last.common_ns} - last.own_ns - offset;
    mapped += drift * (own_ns - first.own_ns) / (last.own_ns - first.own_ns);
  }
  return static_cast<int64_t>(std::clamp<Wide>(mapped, -kMaxMonoNs, kMaxMonoNs));
}

ClockLine measured_line(const RecordedState& state, int64_t end_ns) {
  if (state.syncs.empty()) return {};
  std::vector<ClockLine::Moment> moments;
  int64_t error_ns = 0;
  bool is_shared = true;
  for (const ClockSync& sync : state.syncs) {
    moments.push_back({sync.mono_ns, sync.mono_ns + sync.offset_ns});
    error_ns = std::max(error_ns, sync.error_ns);
    is_shared = is_shared && sync.offset_ns == 0 && sync.error_ns == 0;
  }
  if (is_shared) return {{}, 0, ClockSource::kShared};
  if (moments.size() == 1) {
    const int64_t elapsed = std::max<int64_t>(0, end_ns - moments[0].own_ns);
    error_ns += elapsed / 1'000'000'000 * kAssumedDriftPerBillion +
                elapsed % 1'000'000'000 * kAssumedDriftPerBillion / 1'000'000'000;
  }
  return {std::move(moments), error_ns, ClockSource::kMpi};
}

ClockLine realtime_line(const std::vector<ClockAnchor>& anchors) {
  if (anchors.empty()) return {};
  std::vector<ClockLine::Moment> moments;
  // One epoch for both ends: the run may pass a multiple of the period.
  const int64_t epoch = anchors.front().real_ns / kRealtimePeriodNs * kRealtimePeriodNs;
  moments.push_back({anchors.front().mono_ns, anchors.front().real_ns - epoch});
  if (anchors.back().mono_ns > anchors.front().mono_ns) {
    moments.push_back({anchors.back().mono_ns, anchors.back().real_ns - epoch});
  }
  return {std::move(moments), 0, ClockSource::kRealtime};
}

std::string_view name_of(ClockSource source) noexcept {
  switch (source) {
    case ClockSource::kShared:
      return "shared";
    case ClockSource::kMpi:
      return "mpi";
    case ClockSource::kRealtime:
      return "realtime";
    case ClockSource::kAlone:
      break;
  }
  return "alone";
}

}  // namespace perseid
