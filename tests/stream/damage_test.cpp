// tests/stream/damage_test.cpp: damaged captures are named, never fatal, and the rest is shown.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "capture/checksum.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

/// Something of everything, in several chunks and a ring.
void fill(CaptureBuilder& capture) {
  StreamBuilder& main = capture.stream(1, 4242, "main");
  StreamBuilder& worker = capture.stream(2, 4243, "worker");
  for (int i = 0; i < 30; ++i) {
    const int t = 1000 * i;
    main.begin(t, "outer", capture.argument("i", int64_t{i})).begin(t + 10, "inner");
    main.flow_out(t + 20, 9).end(t + 30, 1, capture.argument("text", "some words"));
    main.counter(t + 40, "queue", i).end(t + 50, 0);
    worker.begin(t + 60, "run")
        .flow_in(t + 70, 9)
        .lane_begin(t + 75, "lane", 100u + static_cast<unsigned>(i), "s");
    worker.end(t + 80, 0).lane_end(t + 90, "lane", 100u + static_cast<unsigned>(i));
    if (i % 7 == 6) main.cut();
    if (i % 5 == 4) worker.cut();
  }
  worker.ring_from_here().begin(40000, "last").end(40010, 0);
  capture.topology = "perseid-topology 1 hwloc 2.9.0\npu 0 core 0 numa 0 package 0\n";
}

class Damage : public testing::TestWithParam<const char*> {};

TEST_P(Damage, EveryFlippedBitIsSurvivedAndNothingOverlaps) {
  CaptureBuilder capture;
  fill(capture);
  capture.write();
  const size_t whole = read_capture(capture.path()).sink.lines.size();
  const std::string path = capture.file(GetParam());
  const std::string bytes = read_file(path);
  const size_t step = std::max<size_t>(1, bytes.size() / 250);
  for (size_t at = 0; at < bytes.size(); at += step) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at / step % 8)));
    write_file(path, damaged);
    const Reading reading = read_capture(capture.path());
    ASSERT_EQ(reading.error, "") << at;
    ASSERT_EQ(reading.sink.find_overlap(), "") << at;
    // One bit spoils one chunk or ring at most: most of the timeline remains.
    ASSERT_GT(reading.sink.lines.size(), whole / 2) << at;
  }
}

TEST_P(Damage, EveryTruncationIsSurvivedAndNothingOverlaps) {
  CaptureBuilder capture;
  fill(capture);
  capture.write();
  const std::string path = capture.file(GetParam());
  const std::string bytes = read_file(path);
  const size_t step = std::max<size_t>(1, bytes.size() / 150);
  // An empty ring file is no damage: a process can be killed right after it has created one.
  const size_t first = GetParam() == std::string("2.ring") ? 1 : 0;
  for (size_t size = first; size < bytes.size(); size += step) {
    write_file(path, bytes.substr(0, size));
    const Reading reading = read_capture(capture.path());
    ASSERT_EQ(reading.error, "") << size;
    ASSERT_GT(reading.damage_count, 0u) << size;
    ASSERT_EQ(reading.sink.find_overlap(), "") << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Damage,
                         testing::Values("spool", "strings", "state", "manifest", "2.ring"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase(name, '.');
                           return name;
                         });

TEST(DamageOfTheSpool, EveryFlippedBitIsNamed) {
  CaptureBuilder capture;
  fill(capture);
  capture.write();
  const std::string bytes = read_file(capture.file(kSpoolFile));
  for (size_t at = 0; at < bytes.size(); at += 29) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    write_file(capture.file(kSpoolFile), damaged);
    ASSERT_GT(read_capture(capture.path()).damage_count, 0u) << at;
  }
}

TEST(DamageOfTheSpool, AChunkBehindGarbageOfAnyLengthIsFound) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").instant(10, "found");
  capture.write();
  const std::string spool = read_file(capture.file(kSpoolFile));
  for (const size_t garbage : {1u, 7u, 103u, 104u, 4096u, (1u << 20) - 3, (1u << 20) + 5}) {
    write_file(capture.file(kSpoolFile), std::string(garbage, '\x50') + spool);
    const Reading reading = read_capture(capture.path());
    EXPECT_EQ(reading.sink.lines, Lines{"main: @10 found"}) << garbage;
    EXPECT_EQ(reading.damages,
              Lines{fmt::format("spool: {} unreadable bytes at offset 0", garbage)});
  }
}

TEST(DamageOfTheSpool, BytesThatAreNoRecordSkipTheRestOfTheirChunk) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .instant(10, "a")
      .record(20, 0x7701, 0)
      .instant(30, "skipped")
      .cut()
      .instant(40, "b");
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: @10 a", "main: @40 records unreadable {bytes=32, position=16}",
                   "main: @40 b"}));
  EXPECT_EQ(reading.damages, Lines{"stream 1: no record at position 16; 32 bytes are skipped"});
}

TEST(DamageOfTheSpool, ARecordThatReachesBeyondItsChunkIsNone) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .instant(10, "a")
      .instant(20, "too long", capture.argument("k", std::string(800, 'x')));
  capture.write();
  // The chunk ends in the middle of the second record, and its sums agree with that.
  std::string spool = read_file(capture.file(kSpoolFile));
  ChunkHeader header;
  std::memcpy(&header, spool.data(), sizeof(header));
  header.bytes = 64;
  header.payload_checksum = checksum(spool.data() + sizeof(header), header.bytes);
  header.header_checksum = checksum(&header, offsetof(ChunkHeader, header_checksum));
  std::memcpy(spool.data(), &header, sizeof(header));
  spool.resize(sizeof(header) + header.bytes);
  write_file(capture.file(kSpoolFile), spool);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines.front(), "main: @10 a");
  EXPECT_EQ(reading.report.records, 1u);
  EXPECT_EQ(reading.damages.front(), "spool: 776 bytes at its end are missing");
  EXPECT_EQ(reading.damages.back(), "stream 1: no record at position 16; 48 bytes are skipped");
}

TEST(DamageOfTheManifest, IsNamedAndTheRestIsShown) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").instant(10, "a");
  capture.write();
  std::filesystem::remove(capture.file(kManifestFile));
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, Lines{"main: @10 a"});
  EXPECT_EQ(reading.damages, Lines{"manifest: it cannot be opened: No such file or directory"});
}

TEST(DamageOfTheManifest, RingsAreThenLookedForInTheCapture) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").ring_from_here().instant(10, "a");
  capture.write();
  write_file(capture.file(kManifestFile), "nothing");
  EXPECT_EQ(read_capture(capture.path()).sink.lines, Lines{"main: @10 a"});
}

TEST(DamageOfTheStrings, ANameThatIsNotWhatWasWrittenIsNotShown) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").instant(10, "a name").instant(20, "a name").instant(30, "other");
  capture.write();
  std::string strings = read_file(capture.file(kStringsFile));
  strings[strings.find("a name")] = 'A';
  write_file(capture.file(kStringsFile), strings);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (Lines{"main: @10 (unreadable name)", "main: @20 (unreadable name)",
                                       "main: @30 other"}));
  EXPECT_EQ(reading.damages, Lines{"strings: name 10 does not match its checksum"});
}

TEST(DamageOfTheRings, AMissingDirectoryOfAKilledRunIsDamage) {
  CaptureBuilder capture;
  capture.end = SessionEnd::kRunning;
  capture.pid = 0;
  capture.manifest["rings"] = "/nonexistent/rings";
  capture.stream(1, 4242, "main").instant(10, "a");
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).damages,
            Lines{"rings: the directory /nonexistent/rings is gone, and each thread's "
                  "latest records with it"});
}

/// Reads 200 records of an overwriting ring whose record 100 is none, and which names `boundary` as
/// the start of a block.
Reading read_damaged_ring(uint64_t boundary) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.on_full = OnFull::kOverwrite;
  stream.ring_from_here();
  for (int i = 0; i < 200; ++i) stream.instant(10 * i, "e");
  capture.write();
  const std::string path = capture.file("1.ring");
  std::string ring = read_file(path);
  std::memcpy(ring.data() + offsetof(RingHeader, block_start) + 16, &boundary, sizeof(boundary));
  std::fill_n(ring.begin() + kRingHeaderBytes + 1600, 16, '\xff');
  write_file(path, ring);
  return read_capture(capture.path());
}

TEST(DamageOfTheRings, AnOverwritingRingGoesOnAtTheNextBlock) {
  const Reading reading = read_damaged_ring(160 * sizeof(RecordHeader));
  EXPECT_EQ(reading.report.records, 140u);
  EXPECT_EQ(reading.damages, Lines{"stream 1: no record at position 1600; 960 bytes are skipped"});
}

TEST(DamageOfTheRings, ABlockThatStartsBetweenTwoWordsIsNone) {
  const Reading reading = read_damaged_ring(160 * sizeof(RecordHeader) + 3);
  EXPECT_EQ(reading.report.records, 100u);
  EXPECT_EQ(reading.damages, Lines{"stream 1: no record at position 1600; 1600 bytes are skipped"});
}

TEST(NotACapture, IsSaidInOneSentence) {
  TemporaryDirectory directory;
  EXPECT_EQ(read_capture(directory.path()).error,
            directory.path() + " is not a capture: it has no manifest, state, spool or ring");
  EXPECT_EQ(read_capture(directory / "none").error,
            "cannot open " + (directory / "none") + ": No such file or directory");
  write_file(directory / "file", "x");
  EXPECT_EQ(read_capture(directory / "file").error,
            (directory / "file") + " is not a capture: a capture is a directory NAME.capture");
  write_file(directory / kManifestFile, "perseid-capture 2\nchecksum 00000000\n");
  EXPECT_EQ(read_capture(directory.path()).error,
            directory.path() +
                " has format 2, this Perseid reads up to 1; export it with the "
                "version that wrote it");
}

TEST(UnmadeCapture, IsEmptyAndSound) {
  for (const Lines& missing :
       {Lines{"spool"}, Lines{"spool", "strings"}, Lines{"spool", "strings", "state"}}) {
    CaptureBuilder capture;
    capture.write();
    for (const std::string& name : missing) std::filesystem::remove(capture.file(name));
    const Reading reading = read_capture(capture.path());
    EXPECT_EQ(reading.error, "");
    EXPECT_TRUE(reading.damages.empty()) << reading.damages.front();
  }
}

}  // namespace
}  // namespace perseid::test
