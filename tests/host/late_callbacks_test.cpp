// tests/host/late_callbacks_test.cpp: events during and after the end harm nobody.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

Recorded only_capture(const Sandbox& sandbox) {
  const auto captures = sandbox.captures();
  EXPECT_EQ(captures.size(), 1u);
  Recorded recorded = captures.size() == 1 ? read_capture(captures[0]) : Recorded{};
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.end, SessionEnd::kFinished);
  return recorded;
}

TEST(LateCallbacks, OfExitHandlersAndDestructorsAreRecorded) {
  for (const char* how : {"return", "exit"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = "late", .args = {how}});
    ASSERT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_EQ(only_capture(sandbox).texts(),
              (std::vector<std::string>{"atexit", "destructor", "main"}));
  }
}

TEST(LateCallbacks, ExitFromAnotherThreadEndsTheSession) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "late", .args = {"thread_exit"}});
  EXPECT_EQ(ending.exit_code, 5) << ending.describe();
  EXPECT_EQ(only_capture(sandbox).texts(),
            (std::vector<std::string>{"atexit", "destructor", "exiting thread", "main"}));
}

TEST(LateCallbacks, QuickExitEndsTheSession) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "late", .args = {"quick_exit"}});
  EXPECT_EQ(ending.exit_code, 6) << ending.describe();
  EXPECT_EQ(only_capture(sandbox).texts(), (std::vector<std::string>{"at_quick_exit", "main"}));
}

#ifndef PERSEID_THREAD_SANITIZED
// ThreadSanitizer has a thread of its own: we are never the last one.
TEST(LateCallbacks, MainMayLeaveByPthreadExit) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(
      {.program = "late", .args = {"pthread_exit"}, .settings = "keep=1", .seconds = 20});
  EXPECT_EQ(ending.exit_code, 0) << ending.describe();
  EXPECT_EQ(
      only_capture(sandbox).texts(),
      (std::vector<std::string>{"after main", "atexit", "destructor", "key destructor", "main"}));
  EXPECT_EQ(sandbox.timelines().size(), 1u);
  EXPECT_TRUE(rings_in_shm(ending.pid).empty());
}
#endif

TEST(LateCallbacks, ThreadsThatOutliveMainDoNotDisturbTheEnd) {
  for (int i = 0; i < 5; ++i) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(
        {.program = "late", .args = {"outlive"}, .settings = "ring=64K,keep=1,quiet=1"});
    ASSERT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_EQ(ending.err, "");
    EXPECT_EQ(sandbox.timelines().size(), 1u);
    EXPECT_TRUE(rings_in_shm(ending.pid).empty());
    const Recorded recorded = only_capture(sandbox);
    for (const RecordedStream& stream : recorded.streams)
      EXPECT_LE(stream.count(annotations::kind(annotations::kEnd)),
                stream.count(annotations::kind(annotations::kBegin)));
  }
}

TEST(LateCallbacks, ExecLeavesAWholeCaptureAndTheNextProgramHasItsOwn) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "execs", .settings = "export=0,quiet=1,ring=64K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  std::vector<uint64_t> first_numbers;
  ASSERT_EQ(sandbox.captures().size(), 2u);
  for (const std::string& capture : sandbox.captures()) {
    const Recorded recorded = read_capture(capture);
    EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
    ASSERT_EQ(recorded.streams.size(), 1u);
    EXPECT_EQ(find_gap(recorded.streams[0], 5000), "");
    EXPECT_EQ(recorded.numbers(), 5000u);
    first_numbers.push_back(recorded.streams[0].numbers[0]);
  }
  std::ranges::sort(first_numbers);
  EXPECT_EQ(first_numbers, (std::vector<uint64_t>{0, uint64_t{1} << 40}));
}

}  // namespace
}  // namespace perseid::host
