// capture/timebase.h: raw clock readings -> nanoseconds since the start of the session.
//
// The recording half notes (ticks, CLOCK_MONOTONIC) pairs, anchors, along the run. Between two
// anchors time is a straight line, so that a clock that is slewed meanwhile stays right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture/damage.h"
#include "capture/format.h"

namespace perseid {

/// Collects anchors of any number and order in bounded memory.
class AnchorSet {
 public:
  static constexpr size_t kMaxKept = 4096;

  /// One whose checksum does not match is left out.
  void add(const ClockAnchor& anchor);
  /// In order of ticks; those too near to each other or off the line are gone.
  std::vector<ClockAnchor> take();

 private:
  void thin();
  std::vector<ClockAnchor> anchors_;
};

class Timebase {
 public:
  /// `tsc_hz` is used when fewer than two anchors are left; 0: unknown.
  Timebase() : Timebase({}, 0, nullptr) {}
  Timebase(std::vector<ClockAnchor> anchors, uint64_t tsc_hz, DamageLog* damages)
      : Timebase(anchors, tsc_hz, damages, anchors.empty() ? 0 : anchors[0].mono_ns) {}
  /// Time 0 is where the anchors' clock shows `start_ns`.
  Timebase(const std::vector<ClockAnchor>& anchors, uint64_t tsc_hz, DamageLog* damages,
           int64_t start_ns);

  /// Never negative, and never falls while `ticks` rises. Fastest when calls come in order.
  int64_t to_ns(uint64_t ticks) noexcept {
    if (ticks - from_ >= width_) [[unlikely]]
      find_segment(ticks);
    return convert(ticks);
  }

  /// Readings a day away from every anchor are not times of this session.
  uint64_t first_plausible() const noexcept { return first_; }
  uint64_t plausible_span() const noexcept { return span_; }

  /// CLOCK_REALTIME at time 0; 0 if unknown.
  int64_t start_real_ns() const noexcept { return start_real_ns_; }
  /// CLOCK_MONOTONIC at time 0; 0 if unknown.
  int64_t start_mono_ns() const noexcept { return start_mono_ns_; }

 private:
  struct Segment {
    uint64_t ticks;  // where it starts
    int64_t ns;      // since the start of the session, at `ticks`
    uint64_t rate;   // nanoseconds per tick, times 2^kRateShift
  };
  static constexpr int kRateShift = 48;

  int64_t convert(uint64_t ticks) const noexcept;
  void find_segment(uint64_t ticks) noexcept;

  std::vector<Segment> segments_;  // the first also reaches back, the last on
  Segment now_{};
  uint64_t from_ = 0;  // `now_` holds for [from_, from_ + width_)
  uint64_t width_ = 0;
  uint64_t first_ = 0;
  uint64_t span_ = ~uint64_t{0};
  int64_t start_real_ns_ = 0;
  int64_t start_mono_ns_ = 0;
};

}  // namespace perseid
