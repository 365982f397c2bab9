// tests/host/flight_recorder_test.cpp: on_full=overwrite writes nothing before the end, however
// many threads come and go, and reports what it gave up for the newest ones.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr uint64_t kThreads = 400;
constexpr uint64_t kEvents = 200;
constexpr uint64_t kRecordBytes = 24;
constexpr uint64_t kRings = 16;  // of 64K in 1M

/// One short thread after the other; then the program stays until `signal` ends it.
Recorded record_short_threads(Sandbox& sandbox, int signal) {
  Running program = sandbox.start(
      {.program = "many_threads",
       .args = {std::to_string(kThreads), "1", std::to_string(kEvents), "262144", "stay"},
       .settings = "export=0,quiet=1,on_full=overwrite,ring=64K,memory=1M"});
  EXPECT_TRUE(program.has_printed("peak"));
  const auto captures = sandbox.captures();
  EXPECT_EQ(captures.size(), 1u);
  if (captures.size() == 1) {
    EXPECT_EQ(std::filesystem::file_size(captures[0] + "/spool"), 0u) << "while it runs";
  }
  program.send(signal);
  EXPECT_EQ(program.wait().signal, signal);
  return captures.size() == 1 ? read_capture(captures[0]) : Recorded{};
}

void expect_the_newest(const Recorded& recorded) {
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.lost(), 0u);
  EXPECT_LE(recorded.streams.size(), kRings);
  // A few rings are made ready for the next threads before these come.
  ASSERT_GE(recorded.streams.size(), kRings / 2);
  const uint64_t oldest = kThreads - recorded.streams.size() + 1;
  for (size_t i = 0; i < recorded.streams.size(); ++i) {
    const RecordedStream& stream = recorded.streams[i];
    EXPECT_EQ(find_gap(stream, kEvents), "");
    EXPECT_EQ(stream.holes, 0u);
    ASSERT_FALSE(stream.numbers.empty());
    EXPECT_EQ(stream.numbers.front() >> 32, oldest + i) << "the newest threads, each once";
  }
  EXPECT_EQ(recorded.numbers() * kRecordBytes + recorded.overwritten_bytes,
            kThreads * kEvents * kRecordBytes);
}

std::string check(Sandbox& sandbox, const std::string& capture) {
  return sandbox
      .run({.program = PERSEID_TOOL,
            .args = {"check", capture},
            .settings = "",
            .is_preloaded = false})
      .out;
}

TEST(FlightRecorder, ShortThreadsStayInMemoryUntilTheEnd) {
  Sandbox sandbox;
  const Recorded recorded = record_short_threads(sandbox, SIGTERM);
  EXPECT_EQ(recorded.end, SessionEnd::kSignal);
  expect_the_newest(recorded);
  const std::string report = check(sandbox, recorded.path);
  EXPECT_NE(report.find("of older events overwritten"), std::string::npos) << report;
}

TEST(FlightRecorder, ShortThreadsAreInTheRingsAfterKill9) {
  Sandbox sandbox;
  const Recorded recorded = record_short_threads(sandbox, SIGKILL);
  EXPECT_EQ(recorded.chunks, 0u);
  expect_the_newest(recorded);
  const std::string report = check(sandbox, recorded.path);
  EXPECT_NE(report.find("of older events overwritten"), std::string::npos) << report;
}

TEST(FlightRecorder, AProgramWithFewThreadsKeepsAllOfThem) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {"2", "1", "100"},
                                     .settings = "export=0,quiet=1,on_full=overwrite,ring=64K,"
                                                 "memory=128K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers(), 200u) << recorded.describe();
  EXPECT_EQ(recorded.overwritten_bytes, 0u);
}

}  // namespace
}  // namespace perseid::host
