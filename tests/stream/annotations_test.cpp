// tests/stream/annotations_test.cpp: what each call of perseid.h looks like on the timeline.
#include <gtest/gtest.h>

#include <limits>

#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"
#include "timeline/drawing/open_slice.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

TEST(Annotations, RangesNestAndArgumentsOfBothEndsJoin) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(100, "outer", capture.argument("rows", int64_t{-3}))
      .begin(150, "inner")
      .end(200, 1, capture.argument("ok", true) + capture.pointer("at", 0xbeef))
      .end(300, 0, capture.argument("seconds", 0.5) + capture.argument("what", "a text"));
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: 150..200 inner {ok=true, at=0xbeef}",
                   "main: 100..300 outer {rows=-3, seconds=0.5, what=a text}"}));
  EXPECT_EQ(reading.damages, Lines{});
  EXPECT_EQ(reading.report.records, 4u);
}

TEST(Annotations, AnEmptyTextIsShownAsOneWhereverItStands) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .instant(1, "last", capture.argument("n", int64_t{1}) + capture.argument("k", ""))
      .instant(2, "first", capture.argument("k", "") + capture.argument("n", int64_t{1}))
      .instant(3, "only", capture.argument("k", ""))
      .begin(4, "replaced", capture.argument("k", "a text"))
      .end(5, 0, capture.argument("k", ""));
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @1 last {n=1, k=}", "main: @2 first {k=, n=1}", "main: @3 only {k=}",
                   "main: 4..5 replaced {k=}"}));
}

TEST(Annotations, ALaterValueOfAKeyReplacesTheEarlierOne) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(1, "a", capture.argument("n", "first") + capture.argument("m", "kept"))
      .end(2, 0, capture.argument("n", "second"));
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines, Lines{"main: 1..2 a {n=second, m=kept}"});
}

TEST(Annotations, InstantsAndCountersStandWhereTheyHappened) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .instant(10, "checkpoint", capture.argument("step", uint64_t{18446744073709551615u}))
      .counter(20, "ready", 3)
      .counter(25, "ready", std::numeric_limits<double>::infinity())
      .counter(30, "ready", -0.25);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"main: @10 checkpoint {step=18446744073709551615}",
                                       "ready: @20 = 3", "ready: @30 = -0.25"}));
}

TEST(Annotations, AnArrowJoinsTheRangesThatNamedItsIdAndAnIdMayBeUsedAgain) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(10, "send")
      .flow_out(15, 7)
      .end(20, 0)
      .begin(100, "send")
      .flow_out(115, 7)
      .end(120, 0);
  capture.stream(2, 4243, "worker")
      .begin(30, "receive")
      .flow_in(35, 7)
      .end(40, 0)
      .begin(130, "receive")
      .flow_in(135, 7)
      .flow_in(136, 8)
      .end(140, 0);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"main: 10..20 send ->1", "worker: 30..40 receive <-1",
                                       "main: 100..120 send ->2", "worker: 130..140 receive <-2"}));
  EXPECT_EQ(reading.report.unmatched_flows, 1u);
}

TEST(Annotations, AnArrowOutsideOfRangesHangsOnAMoment) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").flow_out(10, 7).flow_in(20, 7);
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @10 flow ->1", "main: @20 flow <-1"}));
}

TEST(Annotations, ARangeHoldsABoundedNumberOfArrows) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main").begin(1, "submit all");
  for (int i = 0; i < 100; ++i) stream.flow_out(10 + i, static_cast<uint64_t>(i));
  stream.end(500, 0);
  capture.write();
  const Lines lines = read_capture(capture.path()).sink.lines;
  ASSERT_EQ(lines.size(), 100u - OpenSlice::kMaxFlows + 1);
  EXPECT_EQ(lines.front(), "main: @74 flow ->65");
}

TEST(Annotations, SlicesOfALaneThatOverlapStandBelowEachOther) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .lane_begin(10, "requests", 1, "get", capture.argument("id", int64_t{1}))
      .lane_begin(20, "requests", 2, "put");
  capture.stream(2, 4243, "worker")
      .lane_end(30, "requests", 1, capture.argument("status", int64_t{200}))
      .lane_begin(35, "requests", 3, "get")
      .lane_end(40, "requests", 2)
      .lane_end(50, "requests", 3)
      .lane_end(60, "requests", 99);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"requests: 10..30 get {id=1, status=200}",
                                       "requests (2): 20..40 put", "requests: 35..50 get"}));
  EXPECT_EQ(reading.report.orphan_ends, 1u);
  EXPECT_EQ(reading.sink.track_names(), (Lines{"main", "worker", "requests", "requests (2)"}));
}

TEST(Annotations, PhasesFollowEachOtherOnTheTopRow) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .phase(10, "warm-up")
      .phase(50, "solve")
      .phase(90, "")
      .instant(100, "done");
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"Phases: 10..50 warm-up", "Phases: 50..90 solve", "main: @100 done"}));
  EXPECT_EQ(reading.sink.track_names(), (Lines{"Phases", "main"}));
}

TEST(Annotations, APauseIsASliceAndRangesThatEndedInItSaySo) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(10, "a")
      .begin(20, "b")
      .record(30, annotations::kind(annotations::kPause), 0)
      .record(70, annotations::kind(annotations::kResume), 0)
      .lost(80, 2, 0, 40, 1)
      .end(90, 1)
      .end(100, 0);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"Recording: 30..70 paused", "main: 20..40 b {end=paused}",
                                       "main: 80..90 (begun while paused)", "main: 10..100 a"}));
  EXPECT_EQ(reading.report.lost, 0u);
}

TEST(Annotations, ASessionThatStartsPausedShowsItFromTheStart) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .record(70, annotations::kind(annotations::kResume), 0)
      .instant(80, "go");
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"Recording: 0..70 paused", "main: @80 go"}));
}

TEST(Annotations, WhatIsOpenAtTheEndIsShownAsUnfinished) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").begin(10, "loop").lane_begin(20, "io", 1, "read");
  capture.stream(2, 4243, "worker").instant(500, "last");
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"worker: @500 last", "io: 20..500 read {unfinished=true}",
                   "main: 10..500 loop {unfinished=true}"}));
}

TEST(Annotations, ARecordWhoseArgumentsDidNotFitSaysSo) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .record(10, annotations::kind(annotations::kInstant), capture.string("a"),
              capture.argument("n", int64_t{1}), kRecordTruncated);
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines, Lines{"main: @10 a {n=1, truncated=true}"});
}

TEST(Annotations, TextsThatWereCutOrAreNoArgumentsDoNotSpoilTheRest) {
  CaptureBuilder capture;
  Words cut = capture.argument("text", "sixteen bytes...");
  cut.pop_back();
  Words odd = capture.argument("good", int64_t{1}) +
              Words{annotations::arg_word(8, annotations::ArgType{9}, 0), 5};
  capture.stream(1, 4242, "main").instant(10, "a", cut).instant(20, "b", odd).instant(30, "c", {1});
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @10 a {text=sixteen }", "main: @20 b {good=1}", "main: @30 c"}));
}

}  // namespace
}  // namespace perseid::test
