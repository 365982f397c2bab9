// tests/host/threads_test.cpp: threads come and go by the thousand, have names and small stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr uint64_t kShortLived = kIsSanitized ? 1000 : 10'000;

TEST(Threads, TenThousandShortLivedOnesReuseFewRings) {
  Sandbox sandbox;
  constexpr uint64_t kEvents = 20;
  Running running =
      sandbox.start({.program = "many_threads",
                     .args = {std::to_string(kShortLived), "4", std::to_string(kEvents)},
                     .settings = "export=0,quiet=1,ring=256K"});
  // Ring files are only ever added, so the last look sees the most.
  size_t most_rings = 0;
  while (!running.has_printed("peak", 0.02) && running.is_alive()) {
    for (const std::string& directory : rings_in_shm(running.pid())) {
      std::error_code error;
      const auto count = std::distance(std::filesystem::directory_iterator(directory, error), {});
      most_rings = std::max(most_rings, static_cast<size_t>(count));
    }
  }
  const Ending ending = running.wait();
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  long peak = 0;
  ASSERT_EQ(std::sscanf(ending.out.c_str(), "peak %ld", &peak), 1);
  EXPECT_GT(most_rings, 0u);
  EXPECT_LE(most_rings, 64u);
  if (!kIsSanitized) {
    EXPECT_LT(peak, 64 * 1024);
  }
  EXPECT_TRUE(rings_in_shm(ending.pid).empty());

  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.streams.size(), kShortLived);
  EXPECT_EQ(recorded.numbers(), kShortLived * kEvents);
  EXPECT_EQ(recorded.lost(), 0u);
  for (const RecordedStream& stream : recorded.streams) ASSERT_EQ(find_gap(stream, kEvents), "");
}

/// All of them alive at once, each with more events than the smallest ring holds.
void record_at_once(const char* threads, uint64_t events) {
  Sandbox sandbox;
  const uint64_t count = std::stoul(threads);
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {threads, threads, std::to_string(events), "262144"},
                                     .settings = "export=0",
                                     .seconds = 120});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.err.find("memory="), std::string::npos) << ending.err;
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.streams.size(), count);
  EXPECT_EQ(recorded.numbers(), count * events);
  EXPECT_EQ(recorded.lost(), 0u);
  for (const RecordedStream& stream : recorded.streams) ASSERT_EQ(find_gap(stream, events), "");
}

TEST(Threads, AliveAtOnceByTheHundredsLoseNothingWithTheDefaults) { record_at_once("768", 5000); }

#ifndef PERSEID_SANITIZED
// A sanitizer's runtime has limits of its own on threads.
TEST(Threads, AliveAtOnceByTheThousandsLoseNothingWithTheDefaults) { record_at_once("4096", 100); }
#endif

TEST(Threads, BeyondTheMemoryAreCountedAndReportedWithARemedy) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {"48", "48", "100"},
                                     .settings = "export=0,ring=128K,memory=2M"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const size_t line = ending.err.find("no ring for one more thread: memory=2048K");
  ASSERT_NE(line, std::string::npos) << ending.err;
  EXPECT_NE(ending.err.find("raise memory=, or lower ring= below", line), std::string::npos);
  EXPECT_EQ(ending.err.find("no ring", line + 1), std::string::npos) << "once is enough";
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_GT(recorded.lost_without_ring, 0u);
  EXPECT_EQ(recorded.numbers() + recorded.lost(), 48u * 100);
}

TEST(Threads, TheSmallestStackIsEnough) {
  Sandbox sandbox;
  // A sanitizer's own frames are larger.
  const char* stack = kIsSanitized ? "262144" : "16384";
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {"6", "2", "30000", stack},
                                     .settings = "export=0,quiet=1,ring=64K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).numbers(), 6u * 30000);
}

TEST(Threads, CarryTheNamesTheProgramGaveThem) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "thread_names"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  const auto name_of = [&](const std::string& event) -> std::string {
    for (const RecordedStream& stream : recorded.streams)
      if (std::ranges::count(stream.texts, event)) return stream.name;
    return "no stream";
  };
  EXPECT_EQ(name_of("before"), "before");
  EXPECT_EQ(name_of("after"), "after");
  EXPECT_EQ(name_of("ours"), "a name longer than the kernel's fifteen letters");
  EXPECT_EQ(name_of("unnamed"), "");
  EXPECT_EQ(name_of("main"), "");
}

}  // namespace
}  // namespace perseid::host
