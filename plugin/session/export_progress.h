// plugin/session/export_progress.h: explains to the user why a program seems to hang at its end.
#pragma once

#include <cstdint>

namespace perseid {

/// Short exports print nothing. Long ones print a line after some seconds and another one each time
/// the export has taken twice as long: a batch job's log must not fill.
class ExportProgress {
 public:
  static constexpr int64_t kFirstNs = 5'000'000'000;

  explicit ExportProgress(int64_t begin_ns) noexcept : begin_ns_(begin_ns) {}

  /// `share` of 1 is done by now.
  void print(double share, int64_t now_ns) noexcept;

 private:
  int64_t begin_ns_;
  int64_t next_ns_ = kFirstNs;  // since the begin
};

}  // namespace perseid
