// timeline/analysis/windows.h: the parts of a run that an analysis counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/model/rows.h"

namespace perseid {

/// [from_ns, to_ns) of the timeline's clock.
struct TimeRange {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
};

/// "warm-up", "warmup" or "warm up", in any case: what a program does before it is measured.
bool is_warm_up(std::string_view phase) noexcept;

/// The ranges that were asked for, or, where none was, everything but warm-up phases, which become
/// known as the run goes on: a phase is noted when it begins, before anything that ends in it.
class Windows {
 public:
  explicit Windows(std::vector<TimeRange> wanted);

  bool has_wanted() const noexcept { return !wanted_.empty(); }
  void begin_warm_up(int64_t at_ns);
  void end_warm_up(int64_t at_ns);
  /// Of all that was left out, up to `at_ns`.
  int64_t warm_up_ns(int64_t at_ns) const noexcept;

  /// How much of [from_ns, to_ns) counts.
  int64_t counted(int64_t from_ns, int64_t to_ns) const noexcept;
  bool is_counted(int64_t at_ns) const noexcept { return counted(at_ns, at_ns + 1) > 0; }

 private:
  std::vector<TimeRange> wanted_;    // in order, disjoint
  std::vector<TimeRange> left_out_;  // the same; the last one may be open (kNotYet)
};

}  // namespace perseid
