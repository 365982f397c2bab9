// timeline/analysis/counted_time.h: the clock of what a report is about. It stands still outside of
// its windows, before the run begins, and in phases that are left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/analysis/worker_times.h"
#include "timeline/model/names.h"
#include "timeline/model/rows.h"

namespace perseid {

/// Takes what sweep() passes, in order. Counts as WorkerTimes does.
class CountedTime {
 public:
  /// No windows: from the first submission or parallel region on.
  explicit CountedTime(std::vector<TimeWindow> windows = {}) : windows_(std::move(windows)) {}
  void leave_out(bool (*is_left_out)(std::string_view phase)) { is_left_out_ = is_left_out; }

  /// Nanoseconds that count until then, which is not before what came so far.
  int64_t at(int64_t ns) {
    if (ns <= now_ns_) return counted_ns_;
    if (!windows_.empty()) {
      for (; next_ < windows_.size(); ++next_) {
        const TimeWindow& window = windows_[next_];
        const int64_t from_ns = std::max(now_ns_, window.begin_ns);
        counted_ns_ += std::max<int64_t>(std::min(ns, window.end_ns) - from_ns, 0);
        if (ns < window.end_ns) break;
      }
    } else if (has_started_ && !is_in_left_out_) {
      counted_ns_ += ns - now_ns_;
    }
    now_ns_ = ns;
    return counted_ns_;
  }

  void on_submission(int64_t ns) {
    at(ns);
    begin();
  }
  void on(const RegionRow& row, const NameIds& names) {
    const bool begins = row.end_ns == kNotYet;
    at(begins ? row.begin_ns : row.end_ns);
    if (row.kind == RegionKind::kParallel) {
      if (begins) begin();
    } else if (row.kind == RegionKind::kPhase && windows_.empty() && is_left_out_ != nullptr &&
               is_left_out_(names.text(row.name))) {
      is_in_left_out_ = begins;
      if (!begins && has_work_) has_started_ = true;
    }
  }

 private:
  void begin() {
    has_work_ = true;
    if (!is_in_left_out_) has_started_ = true;
  }

  std::vector<TimeWindow> windows_;
  bool (*is_left_out_)(std::string_view) = nullptr;
  size_t next_ = 0;
  int64_t now_ns_ = INT64_MIN;
  int64_t counted_ns_ = 0;
  bool has_work_ = false;
  bool has_started_ = false;
  bool is_in_left_out_ = false;
};

}  // namespace perseid
