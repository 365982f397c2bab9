// plugin/session/export_progress.h: tells the user of a program that seems to hang at its end why
// it does.
#pragma once

#include <cstdint>

namespace perseid {

/// Short exports say nothing. Long ones say a line after some seconds and another one each time
/// the export has taken twice as long: a batch job's log must not fill.
class ExportProgress {
 public:
  static constexpr int64_t kFirstNs = 5'000'000'000;

  explicit ExportProgress(int64_t begin_ns) noexcept : begin_ns_(begin_ns) {}

  /// `share` of 1 is done by now.
  void tell(double share, int64_t now_ns) noexcept;

 private:
  int64_t begin_ns_;
  int64_t next_ns_ = kFirstNs;  // since the begin
};

}  // namespace perseid
