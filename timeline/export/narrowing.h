// timeline/export/narrowing.h: the report of a capture, or of a part of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture/result.h"
#include "timeline/analysis/report_data.h"

namespace perseid {

/// What is given narrows the report; all of it together, if several are.
struct Narrowing {
  std::optional<std::string> phase = {};
  std::optional<std::pair<uint64_t, uint64_t>> iterations = {};  // the last one included
  int64_t from_ns = 0;                                           // after the begin of the run
  int64_t to_ns = INT64_MAX;
  std::vector<std::string> workers = {};  // patterns
  std::vector<std::string> kinds = {};

  bool is_of_time() const noexcept {
    return phase || iterations || from_ns != 0 || to_ns != INT64_MAX;
  }
  bool is_everything() const noexcept { return !is_of_time() && workers.empty() && kinds.empty(); }
};

/// Walks the capture twice where ranges of time must be found first. `progress` may be empty.
Result<ReportData> report_capture(const std::string& path, const Narrowing& narrowing,
                                  const std::function<void(double)>& progress);

/// Of a report that is there: a phase of it. An error names those that there are.
Result<ReportData> report_of_phase(const ReportData& whole, const std::string& phase);

}  // namespace perseid
