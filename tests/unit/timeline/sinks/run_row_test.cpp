// tests/unit/timeline/sinks/run_row_test.cpp: the first row tells the run, and where it has holes.
#include "timeline/sinks/run_row.h"

#include <gtest/gtest.h>

#include "tests/stream/recording_sink.h"

namespace perseid {
namespace {

using Lines = std::vector<std::string>;

struct Summarised {
  Summarised() : lane(recorded, recorded) {
    lane.process({7, "solver", {}, 1, 0, 0});
    Track track;
    track.id = 1;
    track.name = "CPU 0";
    lane.track(track);
  }
  void slice(int64_t begin_ns, int64_t end_ns, std::string_view name, const Category& category) {
    Slice made;
    made.track = 1;
    made.begin_ns = begin_ns;
    made.end_ns = end_ns;
    made.is_instant = begin_ns == end_ns;
    made.name = name;
    made.set_category(category);
    lane.slice(made);
  }
  test::RecordingSink recorded;
  RunRow lane;
};

TEST(RunRow, SaysWhatWasRunAndHowItEnded) {
  Summarised run;
  run.slice(10, 500, "task", "task");
  run.lane.finish({{"host", "node0"}, {"end", "killed"}, {"lost", "0"}, {"damages", "2"}});
  EXPECT_EQ(
      run.recorded.lines,
      (Lines{"CPU 0: 10..500 task",
             "Run: 0..500 solver on node0, killed, 2 damages {host=node0, end=killed, lost=0, "
             "damages=2}"}));
  EXPECT_EQ(run.recorded.track_names().front(), "Run");
  EXPECT_EQ(run.recorded.tracks.at(2).pid, 7u);
}

TEST(RunRow, BeginsWithTheRunAndNotWithTheClock) {
  Summarised run;
  Process rank{7, "rank 3 of 4 · solver · node0", {}, 1, 0, 0};
  rank.begin_ns = 77'000;
  run.lane.process(rank);
  run.slice(78'000, 79'000, "task", "task");
  run.slice(77'000, 77'000, "2 events lost", kOwnCategory);
  run.lane.finish({{"host", "node0"}});
  EXPECT_EQ(run.recorded.lines.back(),
            "Run: 77000..79000 rank 3 of 4 · solver · node0 {host=node0}");
  EXPECT_EQ(run.recorded.find_overlap(), "");
}

TEST(RunRow, MarksLossesWhereTheyAreAndTheCut) {
  Summarised run;
  run.slice(300, 300, "9 events lost", kOwnCategory);
  run.slice(100, 100, "checkpoint", "user");
  run.slice(10, 500, "task", "task");
  run.lane.note_cut(400, "max_events=2");
  run.lane.finish({});
  EXPECT_EQ(Lines(run.recorded.lines.begin() + 3, run.recorded.lines.end()),
            (Lines{"Run: @300 9 events lost {lane=CPU 0}",
                   "Run: 400..500 not in this timeline {why=max_events=2}", "Run: 0..500 solver"}));
  EXPECT_EQ(run.recorded.find_overlap(), "");
}

}  // namespace
}  // namespace perseid
