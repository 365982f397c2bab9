// timeline/sinks/selection.h: a part of a timeline: a stretch of time, some lanes, some names, or
// as much as fits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "timeline/model/id_table.h"
#include "timeline/sinks/forwarding_sink.h"

namespace perseid {

struct Selection {
  int64_t from_ns = 0;
  int64_t to_ns = INT64_MAX;
  /// Patterns as shells have them; one without *, ? or [ matches anywhere in the name.
  std::vector<std::string> lanes = {};  // empty: all
  std::vector<std::string> names = {};
  uint64_t max_events = UINT64_MAX;  // slices and samples
  uint64_t max_bytes = UINT64_MAX;   // of one file, before compression

  bool is_everything() const noexcept {
    return from_ns == 0 && to_ns == INT64_MAX && lanes.empty() && names.empty() &&
           max_events == UINT64_MAX && max_bytes == UINT64_MAX;
  }
};

bool matches_any(const std::vector<std::string>& patterns, const std::string& name);

/// Passes on what is selected. A timeline that grows too large ends early: what is open then is
/// cut there, what comes later is counted.
class SelectionSink final : public ForwardingSink {
 public:
  /// `written` returns the bytes of the largest file so far.
  SelectionSink(TraceSink& to, Selection selection, std::function<uint64_t()> written);

  void process(const Process& process) override;
  void track(const Track& track) override;
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;

  bool is_cut() const noexcept { return cut_ns_ != INT64_MAX; }
  int64_t cut_ns() const noexcept { return cut_ns_; }
  /// Where it was cut, counted from the start of the run.
  int64_t cut_after_ns() const noexcept { return cut_ns_ - begin_ns_; }
  uint64_t left_out() const noexcept { return left_out_; }

 private:
  bool is_shown(const Slice& slice);
  bool is_full();
  void pass_on(Slice slice);

  Selection selection_;
  std::function<uint64_t()> written_;
  std::vector<bool> hidden_lanes_;  // by track id
  IdTable<bool> arrows_;            // ids whose source is shown
  std::vector<FlowEnd> flows_;
  std::vector<Argument> arguments_;
  std::string name_;
  int64_t begin_ns_ = 0;
  int64_t last_ns_ = 0;
  int64_t cut_ns_ = INT64_MAX;
  uint64_t events_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace perseid
