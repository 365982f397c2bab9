// tests/unit/timeline/export/viewer_limit_test.cpp: a timeline that cannot be opened is announced
// as such.
#include "timeline/export/viewer_limit.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

constexpr uint64_t kGiB = 1ull << 30;

ExportReport report_of(const std::string& file, uint64_t bytes) {
  ExportReport report;
  report.file = file;
  report.file_bytes = bytes;
  return report;
}

TEST(ViewerLimit, WhatFitsIsNotMentioned) {
  EXPECT_EQ(too_large_notice(report_of("/a/run.json", kGiB / 2), "/a/run.capture"), "");
  EXPECT_EQ(too_large_notice(report_of("/a/run.pftrace", kGiB / 2), "/a/run.capture"), "");
  EXPECT_EQ(too_large_notice(report_of("/a/run.json.gz", kGiB / 16), "/a/run.capture"), "");
}

TEST(ViewerLimit, ALargeJsonIsNamedWithTheCommandThatMakesASmallerOne) {
  EXPECT_EQ(
      too_large_notice(report_of("/a.json/run.json", 3 * kGiB), "/a.json/run.capture"),
      "/a.json/run.json is likely too large for ui.perfetto.dev (3.0 GiB); `perseid export -o "
      "/a.json/run.pftrace /a.json/run.capture` writes a quarter of that, --from TIME --to "
      "TIME a part");
}

TEST(ViewerLimit, OfALargeProtobufOnlyAPartCanBeHad) {
  const std::string notice = too_large_notice(report_of("/a/run.pftrace", kGiB), "/a/run.capture");
  EXPECT_NE(notice.find("`perseid export --from TIME --to TIME /a/run.capture`"), std::string::npos)
      << notice;
  EXPECT_EQ(notice.find(" -o "), std::string::npos) << notice;
}

TEST(ViewerLimit, CompressedFilesHaveALimitOfTheirOwn) {
  EXPECT_TRUE(is_too_large_to_view("run.json.gz", kGiB / 4));
  EXPECT_FALSE(is_too_large_to_view("run.json", kGiB / 4));
}

TEST(ViewerLimit, OneFileThatCanBeOpenedIsEnough) {
  ExportReport report = report_of("/a/run.json", 2 * kGiB);
  report.more_files.push_back({"/a/run.pftrace", kGiB / 2});
  EXPECT_EQ(too_large_notice(report, "/a/run.capture"), "");
  report.more_files.front().bytes = 2 * kGiB;
  EXPECT_NE(too_large_notice(report, "/a/run.capture"), "");
}

TEST(ViewerLimit, WithoutACaptureTheRemedyIsForTheNextRun) {
  const std::string notice = too_large_notice(report_of("run.json", 2 * kGiB), "");
  EXPECT_NE(notice.find("max_bytes"), std::string::npos) << notice;
  EXPECT_EQ(notice.find("perseid export"), std::string::npos) << notice;
}

}  // namespace
}  // namespace perseid
