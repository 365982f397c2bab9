// tests/host/fork_test.cpp: a child has its own session or none, and never touches its parent's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr uint64_t kChildNumbers = uint64_t{1} << 40;
[[maybe_unused]] constexpr uint64_t kBusyNumbers = uint64_t{2} << 40;

Launch forks(const char* how, int child_events, int parent_events,
             const std::string& settings = "export=0,quiet=1,ring=64K") {
  return {.program = "forks",
          .args = {how, std::to_string(child_events), std::to_string(parent_events)},
          .settings = settings};
}

/// The captures by the process that made them; the parent is the program that was started.
std::map<uint64_t, Recorded> by_process(const Sandbox& sandbox) {
  std::map<uint64_t, Recorded> result;
  for (const std::string& capture : sandbox.captures()) {
    Recorded recorded = read_capture(capture);
    EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
    EXPECT_TRUE(result.emplace(recorded.pid, recorded).second) << "two captures of one process";
  }
  return result;
}

void expect_parent(const std::map<uint64_t, Recorded>& all, const Ending& ending, size_t numbers) {
  const auto parent = all.find(static_cast<uint64_t>(ending.pid));
  ASSERT_NE(parent, all.end());
  ASSERT_EQ(parent->second.streams.size(), 1u);
  const RecordedStream& stream = parent->second.streams[0];
  EXPECT_EQ(stream.numbers.size(), numbers);
  EXPECT_EQ(find_gap(stream, numbers), "");
  EXPECT_EQ(stream.numbers.front(), 0u);
  EXPECT_EQ(parent->second.end, SessionEnd::kFinished);
}

TEST(Fork, AChildThatRecordsGetsItsOwnCaptureAndTheParentsIsExact) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(forks("fork", 50000, 30000));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto all = by_process(sandbox);
  ASSERT_EQ(all.size(), 2u);
  expect_parent(all, ending, 30000);
  for (const auto& [pid, recorded] : all) {
    if (pid == static_cast<uint64_t>(ending.pid)) continue;
    ASSERT_EQ(recorded.streams.size(), 1u);
    EXPECT_EQ(recorded.streams[0].numbers.size(), 50000u);
    EXPECT_EQ(recorded.streams[0].numbers.front(), kChildNumbers);
    EXPECT_TRUE(rings_in_shm(static_cast<pid_t>(pid)).empty());
  }
}

TEST(Fork, AChildThatRecordsNothingLeavesNothing) {
  for (const char* how : {"fork", "_exit"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(forks(how, 0, 1000));
    ASSERT_TRUE(ending.is_success()) << how << ending.describe();
    const auto all = by_process(sandbox);
    EXPECT_EQ(all.size(), 1u) << how;
    expect_parent(all, ending, 1000);
  }
}

TEST(Fork, FollowFork0LeavesChildrenAlone) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run(forks("fork", 50000, 1000, "export=0,quiet=1,ring=64K,follow_fork=0"));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto all = by_process(sandbox);
  EXPECT_EQ(all.size(), 1u);
  expect_parent(all, ending, 1000);
}

TEST(Fork, AChildThatLeavesByExitKeepsWhatItRecorded) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(forks("_exit", 20000, 1000));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto all = by_process(sandbox);
  ASSERT_EQ(all.size(), 2u);
  expect_parent(all, ending, 1000);
  for (const auto& [pid, recorded] : all) {
    if (pid == static_cast<uint64_t>(ending.pid)) continue;
    EXPECT_EQ(recorded.numbers(), 20000u) << recorded.describe();
    EXPECT_EQ(recorded.end, SessionEnd::kRunning);
  }
}

TEST(Fork, AChildMadeByARawSystemCallIsSilentAndEndsAtOnce) {
  for (const char* how : {"raw", "raw_thread"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(forks(how, 50000, 1000));
    ASSERT_TRUE(ending.is_success()) << how << ending.describe();
    EXPECT_LT(ending.seconds, 10) << how;
    const auto all = by_process(sandbox);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all.begin()->second.numbers(), 1000u);
  }
}

#ifndef PERSEID_SANITIZED
// These start the system's own programs, which an instrumented library cannot enter.
TEST(Fork, OtherWaysOfStartingProgramsLeaveNoTrace) {
  for (const char* how : {"vfork", "spawn", "system"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(forks(how, 0, 1000));
    ASSERT_TRUE(ending.is_success()) << how << ending.describe();
    EXPECT_EQ(ending.err, "");
    const auto all = by_process(sandbox);
    EXPECT_EQ(all.size(), 1u) << how;
    expect_parent(all, ending, 1000);
  }
}
#endif

TEST(Fork, AProgramStartedByAChildHasASessionOfItsOwn) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(forks("exec", 100, 1000));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  std::vector<uint64_t> numbers;
  for (const std::string& capture : sandbox.captures())
    numbers.push_back(read_capture(capture).numbers());
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<uint64_t>{5, 100, 1000}));
}

TEST(Fork, AGrandchildHasASessionOfItsOwn) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(forks("twice", 3000, 1000));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto all = by_process(sandbox);
  EXPECT_EQ(all.size(), 3u);
  expect_parent(all, ending, 1000);
}

#ifndef PERSEID_SANITIZED
// A sanitizer's allocator may be locked by the other thread at the moment of the fork, and stays
// so in the child. The C library's own is not.
TEST(Fork, AnotherThreadMayBeRecordingMeanwhile) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(forks("busy", 50000, 30000));
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  unsigned long long busy = 0;
  ASSERT_EQ(std::sscanf(ending.out.c_str(), "busy %llu", &busy), 1);
  const auto all = by_process(sandbox);
  ASSERT_EQ(all.size(), 2u);
  const Recorded& parent = all.at(static_cast<uint64_t>(ending.pid));
  EXPECT_EQ(parent.numbers(), 30000 + busy) << parent.describe();
  for (const RecordedStream& stream : parent.streams) {
    EXPECT_EQ(find_gap(stream, 0), "");
    EXPECT_TRUE(stream.numbers.front() == 0 || stream.numbers.front() == kBusyNumbers);
  }
}
#endif

TEST(Fork, ADaemonRecordsAfterItHasClosedEverything) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "daemon", .settings = "export=0,quiet=1,ring=64K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  const auto is_done = [&] {
    const auto captures = sandbox.captures();
    return captures.size() == 2 && std::ranges::all_of(captures, [](const std::string& capture) {
             // The daemon may have come no further than to the directory.
             return std::ifstream(capture + "/manifest").good() &&
                    std::ifstream(capture + "/state").good() &&
                    read_capture(capture).end == SessionEnd::kFinished;
           });
  };
  ASSERT_TRUE(eventually(is_done));
  std::vector<uint64_t> numbers;
  for (const auto& [pid, recorded] : by_process(sandbox)) numbers.push_back(recorded.numbers());
  std::ranges::sort(numbers);
  EXPECT_EQ(numbers, (std::vector<uint64_t>{100, 50000}));
}

}  // namespace
}  // namespace perseid::host
