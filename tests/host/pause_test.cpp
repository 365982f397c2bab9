// tests/host/pause_test.cpp: what happens in a pause is absent, and ranges around it still match.
#include <gtest/gtest.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

TEST(Pause, LeavesNoHalfRange) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "pauses"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  ASSERT_EQ(recorded.streams.size(), 1u);
  const RecordedStream& stream = recorded.streams[0];
  EXPECT_EQ(stream.texts, (std::vector<std::string>{"before and after", "ends in the pause",
                                                    "seen again", "after"}));
  EXPECT_EQ(recorded.count(annotations::kPause), 1u);
  EXPECT_EQ(recorded.count(annotations::kResume), 1u);
  // The end of the range that began in the pause, of "after", and of "before and after".
  EXPECT_EQ(recorded.count(annotations::kEnd), 3u);
  // One record tells the reader which ranges changed unseen.
  EXPECT_EQ(recorded.count(core::kind(core::kLost)), 1u);
  EXPECT_EQ(recorded.lost(), 0u);
}

TEST(Pause, FromTheStartCreatesNothingUntilTheProgramResumes) {
  Sandbox sandbox;
  const Ending idle = sandbox.run({.program = "hello", .settings = "paused=1"});
  ASSERT_TRUE(idle.is_success()) << idle.describe();
  EXPECT_TRUE(sandbox.files().empty());

  const Ending ending = sandbox.run({.program = "pauses", .settings = "paused=1,export=0,quiet=1"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).texts(),
            (std::vector<std::string>{"after", "seen again"}));
}

}  // namespace
}  // namespace perseid::host
