// tests/stream/losses_test.cpp: what is missing from a stream is shown where it is missing.
#include <gtest/gtest.h>

#include "capture/core_events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

TEST(Losses, RangesThatEndedAmongLostRecordsSaySoAndNewOnesGetPlaceholders) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(10, "a")
      .begin(20, "b")
      .begin(30, "c")
      .lost(100, 3, 17, 50, 1)
      .end(110, 2)
      .end(120, 1)
      .end(130, 0);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: 30..50 c {end=lost}", "main: 20..50 b {end=lost}",
                   "main: @100 17 events lost {lost=17, over_ns=50}", "main: 100..110 (begin lost)",
                   "main: 100..120 (begin lost)", "main: 10..130 a"}));
  EXPECT_EQ(reading.report.lost, 17u);
  EXPECT_EQ(reading.sink.fact("lost"), "17");
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(Losses, CountAlsoWhatNoRecordHasToldOf) {
  CaptureBuilder capture;
  capture.lost_without_ring = 5;
  StreamBuilder& stream = capture.stream(1, 4242, "main").instant(1, "a").lost(2, 0, 3, 1, 0);
  stream.ring_from_here().instant(3, "b");
  stream.lost_in_ring = 10;  // 3 told, 7 dropped at the very end
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).report.lost, 15u);
}

TEST(Losses, AFlightRecordersForgottenBeginIsNoDamage) {
  CaptureBuilder capture;
  capture.end = SessionEnd::kRunning;
  capture.pid = 0;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.on_full = OnFull::kOverwrite;
  stream.dropped_chunks = {0};
  stream.begin(10, "forgotten").begin(20, "also forgotten").ring_from_here();
  stream.begin(30, "kept").end(40, 2).end(50, 1).end(60, 0);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"main: @30 older records overwritten {bytes=32, position=0}",
                                       "main: 30..40 kept", "main: 30..50 (begun earlier)",
                                       "main: 30..60 (begun earlier)"}));
  EXPECT_EQ(reading.damages, Lines{});
  EXPECT_EQ(reading.report.overwritten_bytes, 32u);
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(Losses, AGapIsNamedAndShownAndTheNextEndRepairsTheRanges) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.begin(10, "a").begin(20, "b").cut();
  stream.end(30, 1).cut();  // missing
  stream.begin(40, "c").end(50, 1).end(60, 0);
  stream.dropped_chunks = {1};
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: @40 records unreadable {bytes=16, position=32}",
                   "main: 20..20 b {end=lost}", "main: 40..50 c", "main: 10..60 a"}));
  EXPECT_EQ(reading.damages, Lines{"stream 1: 16 bytes from position 32 on are missing"});
  EXPECT_EQ(reading.report.unreadable_bytes, 16u);
}

TEST(Losses, ABeginInAGapGetsAPlaceholderAroundWhatCameAfterIt) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.begin(10, "a").cut();
  stream.begin(30, "gone").cut();  // missing
  stream.begin(40, "c").instant(45, "moment").end(50, 2).end(60, 1).end(70, 0);
  stream.dropped_chunks = {1};
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @40 records unreadable {bytes=16, position=16}", "main: @45 moment",
                   "main: 40..50 c", "main: 10..60 (begin lost)", "main: 10..70 a"}));
}

TEST(Losses, AGapAtTheEndLeavesRangesThatSayTheyLostTheirEnd) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.begin(10, "a").cut();
  stream.end(30, 0).cut();  // missing
  stream.instant(50, "last");
  stream.dropped_chunks = {1};
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @50 records unreadable {bytes=16, position=16}", "main: @50 last",
                   "main: 10..50 a {end=lost}"}));
}

TEST(Losses, AFlushIsASliceOfItsOwn) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .begin(10, "work")
      .record(90, core::kind(core::kSelfFlush), 4096, {ticks_at(60)})
      .end(100, 0);
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: 60..90 perseid: flush {bytes=4096}", "main: 10..100 work"}));
}

TEST(Losses, ADepthThatNoProgramReachesMakesNoFloodOfPlaceholders) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").end(10, 4'000'000'000u).lost(20, 4'000'000'000u, 1, 15, 0);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_LT(reading.sink.lines.size(), 3000u);
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(Losses, TimeThatGoesBackWithinAStreamIsHeldAtTheLatestTime) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").begin(100, "a").instant(50, "early").end(120, 0);
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @100 early", "main: 100..120 a"}));
}

}  // namespace
}  // namespace perseid::test
