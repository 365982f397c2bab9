// tests/host/host_state_test.cpp: errno, floating-point state, signal mask, cancellation, working
// directory and umask are as the host left them.
#include <gtest/gtest.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

TEST(HostState, SurvivesFirstEventsFlushesAndNewNames) {
  for (const char* settings : {"export=0,quiet=1,ring=64K",
                               "export=0,quiet=1,ring=64K,on_full=drop", "dir=/proc/nowhere"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = "host_state", .settings = settings});
    EXPECT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_EQ(ending.out, "compared\n") << settings;
  }
}

TEST(HostState, ACancelledThreadEndsAtItsOwnCancellationPoint) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "cancelled", .settings = "export=0,quiet=1,ring=64K"});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "reached 1 cancelled 1 cleaned 1\n");
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers(), 100000u) << recorded.describe();
  EXPECT_EQ(recorded.count(annotations::kEnd), 1u);
}

}  // namespace
}  // namespace perseid::host
