// tests/stream/stitching_test.cpp: spool and rings together give each record once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

/// "main: @0 e0", "main: @10 e1", ...
Lines numbered(int count) {
  Lines lines;
  for (int i = 0; i < count; ++i) lines.push_back(fmt::format("main: @{} e{}", 10 * i, i));
  return lines;
}

void add_numbered(StreamBuilder& stream, int from, int to) {
  for (int i = from; i < to; ++i) stream.instant(10 * i, fmt::format("e{}", i));
}

TEST(Stitching, ARingContinuesTheSpool) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 5);
  stream.ring_from_here();
  add_numbered(stream, 5, 9);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, numbered(9));
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, WhatIsBothInSpoolAndRingIsShownOnce) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 5);
  stream.cut();
  add_numbered(stream, 5, 9);
  stream.ring_holds_all();
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, numbered(9));
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, ARingFillsInForADamagedChunk) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 5);
  stream.cut();
  add_numbered(stream, 5, 9);
  stream.ring_holds_all();
  capture.write();
  std::string spool = read_file(capture.file(kSpoolFile));
  spool[sizeof(ChunkHeader) + 8] ^= 1;
  write_file(capture.file(kSpoolFile), spool);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, numbered(9));
  EXPECT_EQ(reading.damages,
            Lines{"stream 1: the chunk of 80 bytes at position 0 does not match its checksum"});
}

TEST(Stitching, AStreamMayStartAtAnyPositionAndWrapInItsRing) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(7, 4242, "main");
  stream.base = 5 * kMinRingBytes - 40;
  stream.ring_from_here();
  add_numbered(stream, 0, 20);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, numbered(20));
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, OverlappingAndRepeatedChunksAreTakenOnce) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 3);
  stream.cut();
  add_numbered(stream, 3, 6);
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  write_file(capture.file(kSpoolFile), spool + spool);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, numbered(6));
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, ChunksMayStandInAnyOrder) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 3);
  stream.cut();
  add_numbered(stream, 3, 6);
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  const size_t half = spool.size() / 2;
  write_file(capture.file(kSpoolFile), spool.substr(half) + spool.substr(0, half));
  EXPECT_EQ(read_capture(capture.path()).sink.lines, numbered(6));
}

TEST(Stitching, AChunkCutShortByAKillIsTakenFromTheRing) {
  CaptureBuilder capture;
  capture.end = SessionEnd::kRunning;
  capture.pid = 0;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 5);
  stream.cut();
  add_numbered(stream, 5, 9);
  stream.ring_holds_all();
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  for (size_t cut = 1; cut < sizeof(ChunkHeader) + 64; ++cut) {
    write_file(capture.file(kSpoolFile), spool.substr(0, spool.size() - cut));
    const Reading reading = read_capture(capture.path());
    ASSERT_EQ(reading.sink.lines, numbered(9)) << cut;
    ASSERT_EQ(reading.damages, Lines{}) << cut;
  }
}

TEST(Stitching, APieceOfAChunkThatTheFullDiskLeftIsNoDamageOnceItWasWrittenAgain) {
  CaptureBuilder capture;
  capture.spool_errors = 1;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 5);
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  for (size_t kept = 1; kept < spool.size(); ++kept) {
    write_file(capture.file(kSpoolFile), spool.substr(0, kept) + spool);
    const Reading reading = read_capture(capture.path());
    ASSERT_EQ(reading.sink.lines, numbered(5)) << kept;
    ASSERT_EQ(reading.damages, Lines{}) << kept;
  }
}

TEST(Stitching, TheMissingEndOfAFinishedSpoolIsDamage) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  add_numbered(stream, 0, 3);
  stream.cut();
  add_numbered(stream, 3, 6);
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  const auto damages_after_cutting = [&](size_t bytes) {
    write_file(capture.file(kSpoolFile), spool.substr(0, spool.size() - bytes));
    return read_capture(capture.path()).damages;
  };
  EXPECT_EQ(damages_after_cutting(8),
            Lines{"stream 1: the chunk of 48 bytes at position 48 is cut short"});
  EXPECT_EQ(damages_after_cutting(spool.size() / 2),
            Lines{"spool: 152 bytes at its end are missing"});
  EXPECT_EQ(damages_after_cutting(spool.size() / 2 - 10),
            Lines{"spool: 10 bytes at its end are not a chunk"});
}

TEST(Stitching, StreamsAreMergedByTimeAndTheLowerOneComesFirst) {
  CaptureBuilder capture;
  capture.stream(2, 4243, "worker").instant(10, "b").instant(20, "d").instant(20, "e");
  capture.stream(1, 4242, "main").instant(10, "a").instant(20, "c").instant(30, "f");
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines,
            (Lines{"main: @10 a", "worker: @10 b", "main: @20 c", "worker: @20 d", "worker: @20 e",
                   "main: @30 f"}));
}

TEST(Stitching, ThousandsOfStreamsAreReadWithinSmallBuffers) {
  CaptureBuilder capture;
  constexpr uint32_t kStreams = 3000;
  for (uint32_t i = 1; i <= kStreams; ++i) {
    StreamBuilder& stream = capture.stream(i, 10000 + i);
    for (int j = 0; j < 40; ++j) {
      // 1 KiB each: a chunk is larger than the window that this many streams leave.
      stream.instant(int64_t{i} * 100 + int64_t{j} * 7, "x",
                     capture.argument("t", std::string(1000, 'y')));
    }
  }
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.report.records, kStreams * 40u);
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, ThreadsAreNamedPlacedAndOrdered) {
  CaptureBuilder capture;
  capture.topology =
      "perseid-topology 1 hwloc 2.9.0\npu 0 core 0 numa 0 package 0\npu 5 core 3 numa 1 package "
      "1\n";
  capture.stream(1, 5000, "io").instant(1, "x");
  capture.stream(2, 4242).instant(2, "x");
  capture.stream(3, 5001, "", 5).instant(3, "x");
  capture.stream(4, 5002, "lonely", 99).instant(4, "x");
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.track_names(),
            (Lines{"solver", "io", "thread 3 · core 3 · NUMA 1", "lonely"}));
  EXPECT_EQ(reading.damages, Lines{});
}

TEST(Stitching, TheEndOfTheRunIsToldInItsFacts) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").instant(1, "x");
  capture.end = SessionEnd::kSignal;
  capture.end_signal = 15;
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.fact("end"), "signal 15 (SIGTERM)");
  capture.end = SessionEnd::kRunning;
  capture.pid = 0x3ffffff;  // beyond every pid_max
  capture.manifest.erase("host");
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.fact("end"), "killed");
}

}  // namespace
}  // namespace perseid::test
