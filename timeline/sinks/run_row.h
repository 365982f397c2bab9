// timeline/sinks/run_row.h: the first row of a timeline: what was run, how it ended, what is
// missing and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "timeline/sinks/forwarding_sink.h"

namespace perseid {

/// The row of a timeline whose longest slice carries the facts of the run.
inline constexpr const char* kRunRowName = "Run";

/// Watches a walk and adds a row "Run" at its end, with the facts as arguments of one slice over
/// all of it. Losses and damage of all rows are marked there, too.
class RunRow final : public ForwardingSink {
 public:
  /// More marks than this would hide the row; the facts have the sums.
  static constexpr size_t kMaxMarks = 1000;

  /// The row goes to `row_to`, everything else to `to`.
  RunRow(TraceSink& to, TraceSink& row_to) : ForwardingSink(&to), row_to_(&row_to) {}

  void process(const Process& process) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& facts) override;

  /// Of all that was shown.
  int64_t begin_ns() const noexcept { return begin_ns_; }
  int64_t end_ns() const noexcept { return end_ns_; }

  /// Everything from `at_ns` on is not in this timeline, for the reason given.
  void note_cut(int64_t at_ns, std::string reason) {
    cut_ns_ = at_ns;
    cut_reason_ = std::move(reason);
  }

 private:
  struct Mark {
    int64_t at_ns;
    std::string name;
    std::string lane;
  };

  void write_row(const RunFacts& facts);

  TraceSink* row_to_;
  Process process_;
  std::vector<std::string> lane_names_;  // by track id
  std::vector<Mark> marks_;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  int64_t cut_ns_ = INT64_MAX;
  std::string cut_reason_;
};

}  // namespace perseid
