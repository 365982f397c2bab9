// timeline/analysis/windows.h: the parts of a run that an analysis counts.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/model/rows.h"

namespace perseid {

/// Half open, on the timeline's clock: from begin_ns to before end_ns.
struct TimeWindow {
  int64_t begin_ns = 0;
  int64_t end_ns = kNotYet;
};

/// In order of time, and without overlaps.
std::vector<TimeWindow> tidy(std::vector<TimeWindow> windows);

/// "warm-up", "warmup" or "warm up", in any case: what a program does before it is measured.
bool is_warm_up(std::string_view phase) noexcept;

}  // namespace perseid
