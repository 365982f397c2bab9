// capture/clock_line.h: from one process's CLOCK_MONOTONIC to the clock that its job shares.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "capture/format.h"
#include "capture/session_state.h"

namespace perseid {

/// How a clock was compared with the others.
enum class ClockSource : uint8_t {
  kAlone,     // not aligned: there is one process
  kShared,    // the same machine as the reference: the same clock
  kMpi,       // round trips over MPI
  kRealtime,  // CLOCK_REALTIME, as good as the machines' time service
};

/// Straight lines between points at which both clocks were known.
class ClockLine {
 public:
  struct Moment {
    int64_t own_ns;
    int64_t common_ns;
  };

  /// Times stay as they are.
  ClockLine() = default;
  ClockLine(std::vector<Moment> moments, int64_t error_ns, ClockSource source)
      : moments_(std::move(moments)), error_ns_(error_ns), source_(source) {}

  /// `own_ns` and the moments are within the limits of capture/clock_limits.h, and so is the
  /// answer.
  int64_t map(int64_t own_ns) const noexcept;
  /// The true time is at most this far away; meaningless for kRealtime.
  int64_t error_ns() const noexcept { return error_ns_; }
  ClockSource source() const noexcept { return source_; }
  bool has_drift() const noexcept { return moments_.size() > 1; }

 private:
  std::vector<Moment> moments_;  // none, one or two
  int64_t error_ns_ = 0;
  ClockSource source_ = ClockSource::kAlone;
};

/// What MPI measured; kAlone if it did not. `end_ns` is the end of the run on its own
/// clock: without a second measurement the error grows until then.
ClockLine measured_line(const RecordedState& state, int64_t end_ns);

/// By CLOCK_REALTIME. The common clock then counts from a time that is the same everywhere and
/// near enough for timelines to keep nanoseconds.
ClockLine realtime_line(const std::vector<ClockAnchor>& anchors);

/// "mpi", "shared", ...
std::string_view name_of(ClockSource source) noexcept;

}  // namespace perseid
