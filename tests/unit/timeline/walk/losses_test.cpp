// tests/unit/timeline/walk/losses_test.cpp: no line reports less than another.
#include "timeline/walk/losses.h"

#include <gtest/gtest.h>

#include "tests/stream/fabricate.h"
#include "timeline/check/report.h"
#include "timeline/export/export.h"
#include "timeline/export/merge_captures.h"

namespace perseid {
namespace {

using test::CaptureBuilder;
using test::StreamBuilder;
using test::TemporaryDirectory;

TEST(Losses, AreToldWithTheirKinds) {
  Losses losses;
  EXPECT_EQ(describe(losses), "0 lost");
  losses.dropped = 3;
  EXPECT_EQ(describe(losses), "3 lost");
  losses.nested = 12;
  losses.names = 5;
  EXPECT_EQ(describe(losses), "20 lost (12 in signal handlers that interrupted Perseid, 5 names)");
}

TEST(Losses, OfAFlightRecorderAreTheTimeThatIsGone) {
  Losses losses;
  losses.overwritten_bytes = 3 << 20;
  losses.kept_ns = 3'200'000'000;
  losses.run_ns = 41'000'000'000;
  EXPECT_EQ(describe(losses), "kept the last 3.2 s of 41.0 s, 3.0 MiB of older events overwritten");
  losses.dropped = 2;
  EXPECT_EQ(describe(losses),
            "2 lost, kept the last 3.2 s of 41.0 s, 3.0 MiB of older events overwritten");
}

TEST(Losses, OfSeveralRanksCoverWhatAllCover) {
  Losses job;
  job.add({.dropped = 1, .run_ns = 10});
  job.add({.nested = 2, .overwritten_bytes = 64, .kept_ns = 7, .run_ns = 20});
  job.add({.names = 3, .overwritten_bytes = 64, .kept_ns = 5, .run_ns = 15});
  EXPECT_EQ(job.total(), 6u);
  EXPECT_EQ(job.overwritten_bytes, 128u);
  EXPECT_EQ(job.kept_ns, 5);
  EXPECT_EQ(job.run_ns, 20);
}

void expect_everywhere(const CaptureBuilder& capture, const std::string& expected,
                       const std::string& verdict) {
  const TemporaryDirectory directory;
  const Result<ExportReport> exported = export_capture(
      capture.path(), {.out = directory / "run.json", .also_to = {directory / "run.pftrace"}});
  ASSERT_TRUE(exported) << exported.error();
  EXPECT_NE(describe(*exported).find(expected), std::string::npos) << describe(*exported);
  const Result<JoinReport> joined =
      join_captures({capture.path()}, {.out = directory / "all.json"});
  ASSERT_TRUE(joined) << joined.error();
  EXPECT_NE(describe(*joined).find(expected), std::string::npos) << describe(*joined);
  const Result<CheckReport> checked = check_capture(capture.path());
  ASSERT_TRUE(checked) << checked.error();
  EXPECT_NE(format(*checked).find(verdict), std::string::npos) << format(*checked);
  for (const char* const name : {"run.json", "run.pftrace", "all.json"}) {
    const Result<CheckReport> timeline = check_timeline(directory / name);
    ASSERT_TRUE(timeline) << timeline.error();
    EXPECT_NE(format(*timeline).find(verdict), std::string::npos) << format(*timeline);
  }
}

TEST(Losses, OfSignalHandlersAndNamesAreInEveryLine) {
  CaptureBuilder capture;
  capture.nested = 5862;
  capture.names_lost = 8;
  capture.stream(1, 4242, "main").begin(10, "a").end(20, 0);
  capture.write();
  expect_everywhere(capture, "5870 lost (5862 in signal handlers", "not whole: 5870 lost");
}

TEST(Losses, AFlightRecorderIsNeverCalledSoundWithoutTheTimeItCovers) {
  CaptureBuilder capture;
  StreamBuilder& stream = capture.stream(1, 4242, "main");
  stream.on_full = OnFull::kOverwrite;
  stream.dropped_chunks = {0};
  stream.begin(10, "forgotten").cut();
  stream.begin(700'000'000, "kept").end(800'000'000, 1).end(900'000'000, 0);
  capture.manifest["settings"] = "on_full=overwrite";
  capture.write();
  expect_everywhere(capture, "events, kept the last 200.0 ms of 900.0 ms, 16 B of older events",
                    "undamaged: a flight recorder kept the last 200.0 ms of 900.0 ms");
}

}  // namespace
}  // namespace perseid
