// tests/host/hot_path_test.cpp: no allocation and no system call where events are recorded.
#include <gtest/gtest.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

TEST(HotPath, MakesNoSystemCallAndNoAllocation) {
  Sandbox sandbox;
  // Room for all events, so that no flush comes in between.
  const Ending ending = sandbox.run({.program = "quiet_path", .settings = "export=0,ring=64M"});
  EXPECT_EQ(ending.out, "quiet\n") << ending.describe();
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.count(annotations::kCounter), 20100u) << recorded.describe();
  EXPECT_EQ(recorded.count(core::kind(core::kSelfFlush)), 0u);
}

TEST(HotPath, MakesNoSystemCallOnceTheDiskIsFull) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "quiet_path",
                                     .args = {"100000"},
                                     .settings = "export=0,quiet=1,ring=64K,rings=shm",
                                     .limits = {{RLIMIT_FSIZE, rlim_t{1} << 20}}});
  EXPECT_EQ(ending.out, "quiet\n") << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_GT(recorded.lost(), 100'000u);
  EXPECT_GT(recorded.spool_errors, 0u);
  EXPECT_LT(recorded.spool_errors, 100u) << "attempts are few and the drainer's";
}

TEST(HotPath, FirstEventOfAThreadAllocatesNothingOfTheHosts) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "first_event_allocates_nothing"});
  EXPECT_EQ(ending.out, "0 allocations\n") << ending.describe();
}

}  // namespace
}  // namespace perseid::host
