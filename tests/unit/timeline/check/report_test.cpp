// tests/unit/timeline/check/report_test.cpp: what `perseid check` counts and refuses.
#include "timeline/check/report.h"

#include <gtest/gtest.h>

#include "tests/stream/fabricate.h"
#include "timeline/export/export.h"

namespace perseid {
namespace {

using test::CaptureBuilder;

void fill(CaptureBuilder& capture) {
  capture.stream(1, 4242, "main")
      .begin(10, "a")
      .instant(15, "i")
      .end(20, 0)
      .counter(30, "ready", 1);
  capture.stream(2, 4243, "worker").begin(12, "b").end(22, 0);
}

TEST(Check, CountsTheSameInACaptureAndInItsTimeline) {
  CaptureBuilder capture;
  fill(capture);
  capture.write();
  const Result<ExportReport> exported = export_capture(capture.path(), {});
  ASSERT_TRUE(exported) << exported.error();
  EXPECT_EQ(exported->records, 6u);
  EXPECT_EQ(exported->slices, 3u);
  for (const auto& report : {check_capture(capture.path()), check_timeline(exported->file)}) {
    ASSERT_TRUE(report) << report.error();
    EXPECT_TRUE(report->is_sound());
    ASSERT_EQ(report->lanes.size(), 3u);
    EXPECT_EQ(report->lanes[0].name, "main");
    EXPECT_EQ(report->lanes[0].slices, 1u);
    EXPECT_EQ(report->lanes[0].instants, 1u);
    EXPECT_EQ(report->lanes[1].name, "worker");
    EXPECT_EQ(report->lanes[2].name, "ready");
    EXPECT_EQ(report->lanes[2].samples, 1u);
    EXPECT_NE(format(*report).find("sound: nothing lost, nothing damaged"), std::string::npos);
  }
  const auto kinds = check_capture(capture.path())->kinds;
  EXPECT_EQ(kinds[0], (std::pair<std::string, uint64_t>("annotations.range_begin", 2)));
}

TEST(Check, LossesAndDamageOfACaptureAreStillToldByItsTimeline) {
  CaptureBuilder capture;
  capture.nested = 2;
  fill(capture);
  capture.stream(3, 4244, "lossy").lost(50, 0, 9, 40, 0);
  capture.write();
  std::string spool = test::read_file(capture.file(kSpoolFile));
  spool[sizeof(ChunkHeader)] ^= 1;
  test::write_file(capture.file(kSpoolFile), spool);
  const Result<ExportReport> exported = export_capture(capture.path(), {});
  ASSERT_TRUE(exported) << exported.error();
  for (const auto& report : {check_capture(capture.path()), check_timeline(exported->file)}) {
    ASSERT_TRUE(report) << report.error();
    EXPECT_FALSE(report->is_sound());
    EXPECT_EQ(report->lost, 11u);
    EXPECT_EQ(report->damages, 1u);
    EXPECT_NE(format(*report).find("does not match its checksum"), std::string::npos);
    EXPECT_NE(format(*report).find("not whole: 11 lost, 1 damaged"), std::string::npos);
  }
}

TEST(Check, RefusesWhatIsNoTimeline) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "half.json", "{\"traceEvents\":[");
  EXPECT_EQ(check_timeline(directory / "half.json").error(),
            (directory / "half.json") + " is not a whole JSON file: it ends too early, at byte 16");
  test::write_file(directory / "other.json", "{\"a\":1}");
  EXPECT_EQ(check_timeline(directory / "other.json").error(),
            (directory / "other.json") + " is not a timeline: it has no \"traceEvents\"");
  EXPECT_FALSE(check_timeline(directory / "none.json"));
}

TEST(Check, CountsEventsThatPerfettoWouldDropAsDamage) {
  const test::TemporaryDirectory directory;
  test::write_file(
      directory / "odd.json",
      "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1}]}");
  const Result<CheckReport> report = check_timeline(directory / "odd.json");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->damages, 1u);
  EXPECT_EQ(report->damage_texts[0], "event \"a\" has no time that Perfetto would take");
}

TEST(Export, DescribesItselfInOneLine) {
  ExportReport report;
  report.file = "run.json";
  report.records = 1;
  report.file_bytes = 2048;
  EXPECT_EQ(describe(report), "1 event, 0 lost, 2.0 KiB in run.json");
  report.records = 5;
  report.losses.dropped = 3;
  report.damages = 2;
  EXPECT_EQ(describe(report), "5 events, 3 lost, 2 damaged places, 2.0 KiB in run.json");
}

TEST(Export, KeepsTheCaptureAndSaysSoWhenTheTimelineCannotBeWritten) {
  CaptureBuilder capture;
  fill(capture);
  capture.write();
  const Result<ExportReport> report =
      export_capture(capture.path(), {.out = "/dev/full", .progress = {}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error(),
            "cannot write /dev/full: No space left on device; make room or choose another place "
            "with -o; the capture " +
                capture.path() + " is kept");
}

TEST(Export, TellsItsProgress) {
  CaptureBuilder capture;
  test::StreamBuilder& stream = capture.stream(1, 4242, "main");
  for (int i = 0; i < 200'000; ++i) {
    stream.instant(i, "x");
    if (i % 1000 == 0) stream.cut();
  }
  capture.write();
  std::vector<double> shares;
  const auto note = [&](double share) { shares.push_back(share); };
  ASSERT_TRUE(export_capture(capture.path(), {.out = "/dev/null", .progress = note}));
  ASSERT_GE(shares.size(), 3u);
  EXPECT_NEAR(shares[0], 65536.0 / 200'000, 0.01);
  EXPECT_EQ(shares.back(), 1.0);
}

}  // namespace
}  // namespace perseid
