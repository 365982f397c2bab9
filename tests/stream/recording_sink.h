// tests/stream/recording_sink.h: keeps a timeline in memory, in lines that tests compare.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "capture/reader.h"
#include "timeline/drawing/sink.h"
#include "timeline/walk/walk.h"

namespace perseid::test {

/// A slice is   "main: 100..250 assemble {rows=3} ->1"    (an arrow with id 1 starts there)
/// an instant   "main: @100 checkpoint"
/// a sample     "ready tasks: @100 = 3".
class RecordingSink final : public TraceSink {
 public:
  void process(const Process& process) override { this->process_ = process; }
  void track(const Track& track) override { tracks[track.id] = track; }
  void slice(const Slice& slice) override;
  void counter(TrackId track, int64_t at_ns, double value) override;
  void finish(const RunFacts& run_facts) override { facts = run_facts; }

  /// Names of all tracks from top to bottom.
  std::vector<std::string> track_names() const;
  /// Where the track stood when something was first shown on it: later moves are too late for
  /// some readers.
  TrackGroup group_at_first_slice(const std::string& name) const;
  std::string fact(const std::string& key) const;
  /// "" if within each track all slices nest; otherwise the first two that do not.
  std::string find_overlap() const;

  Process process_;
  std::map<TrackId, Track> tracks;
  std::vector<std::string> lines;
  RunFacts facts;

 private:
  struct Interval {
    int64_t begin_ns;
    int64_t end_ns;
  };
  std::map<TrackId, std::vector<Interval>> intervals_;
  std::map<TrackId, TrackGroup> first_groups_;
};

/// A capture read to its end.
struct Reading {
  RecordingSink sink;
  WalkReport report;
  std::vector<std::string> damages;
  uint64_t damage_count = 0;
  std::string error;  // "": it could be opened
};
Reading read_capture(const std::string& path, const WalkOptions& options = {});

}  // namespace perseid::test
