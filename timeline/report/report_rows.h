// timeline/report/report_rows.h: where the time of all workers went, as the rows and columns that a
// report shows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/analysis/report_data.h"

namespace perseid {

/// The time of all workers, by kind.
struct WorkerSums {
  std::array<LabelSums, kWorkerKinds> labels;
  std::array<uint32_t, kWorkerKinds> workers{};
  LabelSums all;
  uint32_t all_workers = 0;
};
WorkerSums sums_of(const ReportData& data);

/// One label, or several small ones that belong together.
struct ReportRow {
  std::string_view text;
  std::vector<Label> labels;

  int64_t of(const LabelSums& sums) const noexcept {
    int64_t ns = 0;
    for (const Label label : labels) ns += sums[label];
    return ns;
  }
};

/// Work first, the others from the largest to the smallest; all that has time is in one of them.
/// Labels are joined until there are at most `most` rows.
std::vector<ReportRow> rows_of(const WorkerSums& sums, size_t most);

/// Shares of the sum of `parts` in units of 1/`whole`, rounded so that they sum to `whole` exactly:
/// those with the largest remainder are rounded up. All 0 if the sum is.
std::vector<int64_t> rounded_shares(const std::vector<int64_t>& parts, int64_t whole);

}  // namespace perseid
