// tests/stream/hostile_test.cpp: captures whose sums are right and whose contents are meant to
// hurt.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "annotations/events.h"
#include "capture/clock_limits.h"
#include "mpi/events.h"
#include "ompt/events.h"
#include "starpu_hooks/events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"
#include "timeline/check/report.h"
#include "timeline/export/export.h"
#include "timeline/export/merge_captures.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

/// What takes far more than its capture fails instead of filling the machine. Sanitizers reserve
/// more than any limit, and have limits of their own.
class Hostile : public testing::Test {
 protected:
  void SetUp() override {
#ifndef PERSEID_SANITIZED
    constexpr rlim_t kMaxBytes = rlim_t{3} << 30;
    const rlimit limit{kMaxBytes, RLIM_INFINITY};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
#endif
  }
};

TEST_F(Hostile, AStreamMayHaveAnyNumber) {
  CaptureBuilder capture;
  capture.stream(UINT32_MAX, 4242, "main")
      .record(10, ompt::kind(ompt::kThreadBegin), 1)
      .record(20, ompt::kind(ompt::kParallelBegin), 2, {5, 0})
      .record(30, ompt::kind(ompt::kParallelEnd), 0, {5});
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).sink.lines.front(), "main: 20..30 parallel");
}

TEST_F(Hostile, ACommunicatorMayClaimAnySize) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  for (uint64_t i = 0; i < 1000; ++i) {
    main.record(10, mpi::kind(mpi::kCommunicator), 1 << 22, {1000 + i, 0});
  }
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).report.records, 1000u);
}

TEST_F(Hostile, EndsMayClaimAnyDepth) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  constexpr size_t kEnds = 5000;
  for (size_t i = 0; i < kEnds; ++i) main.end(static_cast<int64_t>(10 + i), UINT32_MAX - 1);
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.find_overlap(), "");
  EXPECT_LE(reading.sink.lines.size(), 4096 + 2 * kEnds);
}

TEST_F(Hostile, AnErrorMayBeAnyNumber) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main")
      .record(10, starpu::kind(starpu::kSubmit), 0, {0xa, 0xc0de, 0, 0})
      .record(20, starpu::kind(starpu::kSubmitEnd), 0x80000000, {0xa});
  capture.write();
  EXPECT_EQ(read_capture(capture.path()).damages, Lines{});
}

TEST_F(Hostile, ClocksMayShowAnything) {
  constexpr int64_t kEnds[] = {INT64_MIN, INT64_MIN + 1, -1, 0, kMaxMonoNs, INT64_MAX};
  for (const int64_t mono_ns : kEnds) {
    for (const int64_t other_ns : kEnds) {
      CaptureBuilder capture;
      capture.stream(1, 4242, "main").begin(10, "a").end(20, 0);
      ClockAnchor anchor = anchor_at(50'000'000);
      anchor.mono_ns = mono_ns;
      anchor.real_ns = other_ns;
      capture.anchors.push_back(anchor);
      capture.syncs = {{mono_ns, other_ns, 5, 0, 0}, {77'000'000'001, other_ns, mono_ns, 0, 0}};
      capture.manifest["machine"] = "a";
      capture.write();
      CaptureBuilder other;
      other.stream(1, 4242, "main").begin(10, "a").end(20, 0);
      other.anchors.push_back(anchor);
      other.manifest["machine"] = "b";
      other.write();
      EXPECT_EQ(read_capture(capture.path()).error, "");
      const Result<JoinReport> joined = join_captures(
          {capture.path(), other.path()}, {.out = capture.file("j.json"), .progress = {}});
      EXPECT_TRUE(joined) << joined.error();
    }
  }
}

/// Chunks of one stream in the wrong order are put in the right one, all at once.
TEST_F(Hostile, ChunksMayComeInAnyOrder) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  constexpr int kChunks = 1000;
  for (int i = 0; i < kChunks; ++i) main.instant(10 + i, "e").cut();
  capture.write();
  const std::string spool = read_file(capture.file("spool"));
  const size_t bytes = spool.size() / kChunks;
  std::string backward;
  for (int i = kChunks; i-- > 0;) backward += spool.substr(static_cast<size_t>(i) * bytes, bytes);
  write_file(capture.file("spool"), backward);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.damages, Lines{});
  EXPECT_EQ(reading.report.records, static_cast<uint64_t>(kChunks));
}

TEST_F(Hostile, ASpoolMayClaimToBeATerabyteLong) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").instant(10, "e");
  capture.write();
  std::filesystem::resize_file(capture.file("spool"), uintmax_t{1} << 40);
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.report.records, 1u);
  EXPECT_EQ(reading.damage_count, 1u);
}

TEST_F(Hostile, LinksInACaptureAreNotFollowed) {
  for (const std::string name : {"manifest", "state", "strings", "spool", "1.ring"}) {
    CaptureBuilder capture;
    capture.end = SessionEnd::kRunning;
    capture.stream(1, 4242, "main").instant(10, "e").ring_from_here().instant(20, "f");
    capture.write();
    std::filesystem::rename(capture.file(name), capture.path() + "-elsewhere");
    std::filesystem::create_symlink(capture.path() + "-elsewhere", capture.file(name));
    const Reading reading = read_capture(capture.path());
    std::filesystem::remove(capture.path() + "-elsewhere");
    EXPECT_GE(reading.damage_count, 1u) << name;
  }
}

TEST_F(Hostile, NothingInACaptureIsWaitedFor) {
  for (const std::string name :
       {"manifest", "state", "strings", "spool", "1.ring", "topology", "modules"}) {
    CaptureBuilder capture;
    capture.end = SessionEnd::kRunning;
    capture.stream(1, 4242, "main").instant(10, "e").ring_from_here().instant(20, "f");
    capture.write();
    std::filesystem::remove(capture.file(name));
    ASSERT_EQ(mkfifo(capture.file(name).c_str(), 0600), 0);
    EXPECT_EQ(read_capture(capture.path()).error, "") << name;
  }
}

TEST_F(Hostile, AModuleMayBeAnything) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").record(10, ompt::kind(ompt::kParallelBegin), 2, {5, 0x1100});
  capture.write();
  ASSERT_EQ(mkfifo(capture.file("fifo").c_str(), 0600), 0);
  std::string modules;
  for (const std::string& path : {capture.file("fifo"), std::string("/dev/zero")}) {
    modules += "module 0 1000 2000 0 - " + path + "\n";
  }
  write_file(capture.file("modules"), modules);
  EXPECT_EQ(read_capture(capture.path()).error, "");
}

TEST_F(Hostile, AGzipFileMayNotBecomeAThousandTimesItsSize) {
  const TemporaryDirectory directory;
  const std::string path = directory / "bomb.json.gz";
  const std::string plain = directory / "bomb.json";
  { std::ofstream(plain) << "{\"traceEvents\":["; }
  std::filesystem::resize_file(plain, 300 << 20);
  ASSERT_EQ(std::system(("gzip -9 " + plain).c_str()), 0);
  const Result<CheckReport> checked = check_timeline(path);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().find("gunzip"), std::string::npos) << checked.error();
  EXPECT_NE(checked.error().find(path), std::string::npos);
}

TEST_F(Hostile, OnlyRegularFilesAreTimelines) {
  const TemporaryDirectory directory;
  const std::string fifo = directory / "x.json";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Result<CheckReport> checked = check_timeline(fifo);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(), "cannot open " + fifo + ": it is not a regular file");
}

}  // namespace
}  // namespace perseid::test
