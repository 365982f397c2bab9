// capture/timebase.cpp: chooses anchors and interpolates between them.
#include "capture/timebase.h"

#include <algorithm>
#include <cmath>

#include "capture/clock_limits.h"

namespace perseid {
namespace {

/// An anchor is uncertain by tens of nanoseconds; over this distance that is 1 part in 10^5.
constexpr int64_t kMinDistanceNs = 5'000'000;
/// The line beyond the outermost anchors is drawn through one at least this far away.
constexpr int64_t kBaselineNs = 1'000'000'000;
constexpr int64_t kDayNs = int64_t{86400} * 1'000'000'000;
/// CLOCK_MONOTONIC is slewed by 500 ppm at most; a pair that is off by more is not an anchor.
constexpr double kMaxSlew = 0.01;
/// Nanoseconds per tick of clocks from 1 THz down to 1 MHz.
constexpr double kSteepest = 1000;
constexpr double kFlattest = 0.001;

__extension__ typedef __int128 Wide;

double slope(const ClockAnchor& a, const ClockAnchor& b) {
  return static_cast<double>(b.mono_ns - a.mono_ns) / static_cast<double>(b.ticks - a.ticks);
}

bool is_plausible_slope(double ns_per_tick) {
  return ns_per_tick >= kFlattest && ns_per_tick <= kSteepest;
}

/// The usual slope: the median over pairs that are half the run apart.
double typical_slope(const std::vector<ClockAnchor>& anchors) {
  std::vector<double> slopes;
  const size_t half = anchors.size() / 2;
  for (size_t i = 0; i + half < anchors.size(); ++i) {
    const auto& a = anchors[i];
    const auto& b = anchors[i + half];
    if (b.ticks > a.ticks && is_plausible_slope(slope(a, b))) slopes.push_back(slope(a, b));
  }
  if (slopes.empty()) return 0;
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  return *middle;
}

/// The anchors from `seed` on that lie on the line. A seed off the line leaves next to none.
std::vector<ClockAnchor> chain_from(const std::vector<ClockAnchor>& anchors, size_t seed,
                                    double usual) {
  std::vector<ClockAnchor> kept = {anchors[seed]};
  for (size_t i = seed + 1; i < anchors.size(); ++i) {
    const ClockAnchor& anchor = anchors[i];
    const ClockAnchor& last = kept.back();
    if (anchor.ticks <= last.ticks || !is_plausible_slope(slope(last, anchor))) continue;
    if (usual > 0 && std::abs(slope(last, anchor) / usual - 1) > kMaxSlew) continue;
    // A run of milliseconds still has its two ends.
    const bool is_second_end = kept.size() == 1 && i + 1 == anchors.size();
    if (anchor.mono_ns - last.mono_ns >= kMinDistanceNs || is_second_end) {
      kept.push_back(anchor);
    } else if (kept.size() > 1 && anchor.spread < last.spread) {
      kept.back() = anchor;  // of two neighbours the more certain one
    }
  }
  return kept;
}

bool by_ticks(const ClockAnchor& a, const ClockAnchor& b) {
  return a.ticks != b.ticks ? a.ticks < b.ticks : a.spread < b.spread;
}

}  // namespace

void AnchorSet::add(const ClockAnchor& anchor) {
  if (!is_sound(anchor)) return;
  anchors_.push_back(anchor);
  if (anchors_.size() >= 4 * kMaxKept) thin();
}

void AnchorSet::thin() {
  std::sort(anchors_.begin(), anchors_.end(), by_ticks);
  std::vector<ClockAnchor> kept;
  kept.push_back(anchors_.front());
  for (size_t i = 1; i + 2 < anchors_.size(); i += 2) {
    kept.push_back(anchors_[i].spread <= anchors_[i + 1].spread ? anchors_[i] : anchors_[i + 1]);
  }
  kept.push_back(anchors_.back());
  anchors_ = std::move(kept);
}

std::vector<ClockAnchor> AnchorSet::take() {
  if (anchors_.empty()) return {};
  std::sort(anchors_.begin(), anchors_.end(), by_ticks);
  while (anchors_.size() > kMaxKept) thin();

  const double usual = typical_slope(anchors_);
  std::vector<ClockAnchor> best;
  for (size_t seed = 0; seed < std::min<size_t>(anchors_.size(), 3); ++seed) {
    auto chain = chain_from(anchors_, seed, usual);
    if (chain.size() > 2 * best.size()) best = std::move(chain);
  }
  anchors_.clear();
  return best;
}

Timebase::Timebase(const std::vector<ClockAnchor>& anchors, uint64_t tsc_hz, DamageLog* damages,
                   int64_t start_ns) {
  // A clock line may move anchors anywhere; products of rates and ticks must still fit.
  const auto rate = [](double ns_per_tick) {
    return static_cast<uint64_t>(std::ldexp(std::clamp(ns_per_tick, 0.0, kSteepest), kRateShift));
  };
  constexpr auto kSteepestRate = static_cast<Wide>(kSteepest) << kRateShift;
  if (anchors.size() < 2) {
    const bool is_known = tsc_hz >= 1'000'000 && tsc_hz <= 1'000'000'000'000;
    const double ns_per_tick = is_known ? 1e9 / static_cast<double>(tsc_hz) : 1;
    const int64_t first_ns = anchors.empty() ? 0 : anchors[0].mono_ns - start_ns;
    segments_.push_back({anchors.empty() ? 0 : anchors[0].ticks, first_ns, rate(ns_per_tick)});
    // A clock that counts nanoseconds needs no second anchor: its readings are the time.
    const bool counts_ns =
        anchors.size() == 1 && std::abs(static_cast<double>(anchors[0].ticks) -
                                        static_cast<double>(anchors[0].mono_ns)) < 1e6;
    if (damages != nullptr && !is_known && !counts_ns) {
      damages->add({DamageKind::kClock, 0, 0,
                    anchors.empty() ? "clock: no anchor is readable; times are approximate"
                                    : "clock: only one anchor; times are approximate"});
    }
  }
  for (size_t i = 0; i + 1 < anchors.size(); ++i) {
    const ClockAnchor& a = anchors[i];
    const ClockAnchor& b = anchors[i + 1];
    const auto exact = (static_cast<Wide>(b.mono_ns - a.mono_ns) << kRateShift) /
                       static_cast<Wide>(b.ticks - a.ticks);
    const auto bounded = std::clamp<Wide>(exact, 0, kSteepestRate);
    segments_.push_back({a.ticks, a.mono_ns - start_ns, static_cast<uint64_t>(bounded)});
  }
  if (anchors.size() >= 2) {
    const ClockAnchor& last = anchors.back();
    auto far = anchors.rbegin() + 1;
    while (far + 1 != anchors.rend() && last.mono_ns - far->mono_ns < kBaselineNs) ++far;
    segments_.push_back({last.ticks, last.mono_ns - start_ns, rate(slope(*far, last))});
  }
  if (!anchors.empty()) {
    start_real_ns_ = anchors[0].real_ns - (anchors[0].mono_ns - start_ns);
    start_mono_ns_ = start_ns;
    const double ns_per_tick =
        std::max(std::ldexp(static_cast<double>(segments_.back().rate), -kRateShift), kFlattest);
    const auto day = static_cast<uint64_t>(static_cast<double>(kDayNs) / ns_per_tick);
    first_ = anchors[0].ticks > day ? anchors[0].ticks - day : 0;
    span_ = anchors.back().ticks + day - first_;
  }
  find_segment(segments_[0].ticks);
}

int64_t Timebase::convert(uint64_t ticks) const noexcept {
  const auto distance = static_cast<Wide>(ticks) - static_cast<Wide>(now_.ticks);
  const Wide ns = now_.ns + ((distance * static_cast<Wide>(now_.rate)) >> kRateShift);
  return static_cast<int64_t>(std::clamp<Wide>(ns, 0, kMaxMonoNs));
}

void Timebase::find_segment(uint64_t ticks) noexcept {
  const auto after =
      std::upper_bound(segments_.begin() + 1, segments_.end(), ticks,
                       [](uint64_t t, const Segment& segment) { return t < segment.ticks; });
  now_ = *(after - 1);
  from_ = after - 1 == segments_.begin() ? 0 : now_.ticks;
  width_ = after == segments_.end() ? ~uint64_t{0} - from_ : after->ticks - from_;
}

}  // namespace perseid
