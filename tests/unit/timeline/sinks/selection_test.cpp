// tests/unit/timeline/sinks/selection_test.cpp: which part of a timeline gets through.
#include "timeline/sinks/selection.h"

#include <gtest/gtest.h>

#include "tests/stream/recording_sink.h"

namespace perseid {
namespace {

Track lane(TrackId id, std::string name, TrackId parent = 0) {
  Track track;
  track.id = id;
  track.parent = parent;
  track.name = std::move(name);
  return track;
}

Slice slice(TrackId track, int64_t begin_ns, int64_t end_ns, std::string_view name) {
  Slice made;
  made.track = track;
  made.begin_ns = begin_ns;
  made.end_ns = end_ns;
  made.name = name;
  return made;
}

struct Selecting {
  explicit Selecting(Selection selection)
      : sink(recorded, std::move(selection), [this] { return written; }) {
    sink.track(lane(1, "CPU 0"));
    sink.track(lane(2, "CPU 1"));
    sink.track(lane(3, "CPU 1 (2)", 2));
  }
  test::RecordingSink recorded;
  uint64_t written = 0;
  SelectionSink sink;
};

using Lines = std::vector<std::string>;

TEST(Selection, PatternsAreThoseOfShellsOrPartsOfNames) {
  EXPECT_TRUE(matches_any({"CPU *"}, "CPU 0"));
  EXPECT_TRUE(matches_any({"x", "CPU ?"}, "CPU 0"));
  EXPECT_FALSE(matches_any({"PU *"}, "CPU 0"));
  EXPECT_TRUE(matches_any({"PU"}, "CPU 0"));
  EXPECT_FALSE(matches_any({"cuda"}, "CPU 0"));
}

TEST(Selection, TimesCountFromTheStartOfTheRun) {
  Selecting part({.from_ns = 100, .to_ns = 200});
  Process rank;
  rank.begin_ns = 5000;
  part.sink.process(rank);
  part.sink.slice(slice(1, 120, 180, "before it started"));
  part.sink.slice(slice(1, 5120, 5180, "gemm"));
  part.sink.slice(slice(1, 5201, 5300, "later"));
  EXPECT_EQ(part.recorded.lines, Lines{"CPU 0: 5120..5180 gemm"});
}

TEST(Selection, TimeLanesAndNames) {
  Selecting all({.from_ns = 100, .to_ns = 200, .lanes = {"CPU 1"}, .names = {"ge*"}});
  all.sink.slice(slice(2, 10, 99, "gemm"));
  all.sink.slice(slice(2, 10, 100, "gemm"));
  all.sink.slice(slice(3, 150, 300, "getrf"));
  all.sink.slice(slice(1, 150, 160, "gemm"));
  all.sink.slice(slice(2, 150, 160, "trsm"));
  all.sink.slice(slice(2, 201, 300, "gemm"));
  all.sink.counter(2, 150, 1);
  all.sink.counter(1, 150, 1);
  EXPECT_EQ(all.recorded.lines,
            (Lines{"CPU 1: 10..100 gemm", "CPU 1 (2): 150..300 getrf", "CPU 1: @150 = 1"}));
  EXPECT_EQ(all.sink.left_out(), 5u);
  EXPECT_FALSE(all.sink.is_cut());
}

TEST(Selection, AnArrowNeedsBothEnds) {
  Selecting some({.names = {"keep"}});
  const FlowEnd hidden{1, true, 10, 10}, shown{2, true, 10, 10};
  const FlowEnd ends[] = {{1, false, 30, 10}, {2, false, 30, 10}};
  Slice source = slice(1, 10, 20, "drop");
  source.flows = {&hidden, 1};
  some.sink.slice(source);
  source = slice(1, 10, 20, "keep");
  source.flows = {&shown, 1};
  some.sink.slice(source);
  Slice target = slice(2, 30, 40, "keep");
  target.flows = ends;
  some.sink.slice(target);
  EXPECT_EQ(some.recorded.lines, (Lines{"CPU 0: 10..20 keep ->2", "CPU 1: 30..40 keep <-2"}));
}

TEST(Selection, AFullTimelineEndsAndWhatIsOpenEndsWithIt) {
  Selecting two({.max_events = 2});
  two.sink.slice(slice(1, 10, 20, "a"));
  two.sink.counter(1, 30, 5);
  two.sink.slice(slice(1, 35, 40, "late"));
  two.sink.counter(1, 50, 6);
  two.sink.slice(slice(2, 5, 60, "around"));
  EXPECT_EQ(two.recorded.lines,
            (Lines{"CPU 0: 10..20 a", "CPU 0: @30 = 5", "CPU 1: 5..30 around {cut=true}"}));
  EXPECT_TRUE(two.sink.is_cut());
  EXPECT_EQ(two.sink.cut_ns(), 30);
  EXPECT_EQ(two.sink.left_out(), 2u);
}

TEST(Selection, BytesAreCountedToo) {
  Selecting small({.max_bytes = 1 << 20});
  int64_t at = 0;
  while (!small.sink.is_cut() && at < 1'000'000) {
    small.sink.slice(slice(1, at, at + 1, "a"));
    small.written += 100;
    at += 2;
  }
  ASSERT_TRUE(small.sink.is_cut());
  EXPECT_LT(small.written, uint64_t{1 << 20});
  EXPECT_GT(small.written, uint64_t{1 << 20} * 9 / 10);
}

}  // namespace
}  // namespace perseid
