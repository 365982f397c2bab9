// tests/host/entry_points_test.cpp: there is one session, through any number of entry points.
#include <gtest/gtest.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

void expect_instants(const Sandbox& sandbox, uint64_t count) {
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.count(annotations::kInstant), count) << recorded.describe();
  EXPECT_EQ(recorded.streams.size(), 1u);
  EXPECT_EQ(recorded.end, SessionEnd::kFinished);
}

TEST(EntryPoints, PreloadedLinkedAndOpenedAtOnce) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "opens_linked_library", .args = {library_path(), "2"}});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "here 1\nhere 1\n");
  expect_instants(sandbox, 4);
}

TEST(EntryPoints, LinkedAlone) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(
      {.program = "opens_linked_library", .args = {library_path(), "1"}, .is_preloaded = false});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  expect_instants(sandbox, 2);
}

TEST(EntryPoints, OpenedAndClosedWhileRecordingGoesOn) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(
      {.program = "opens_library", .args = {library_path(), "5"}, .is_preloaded = false});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "here 0\nhere 1\n");
  expect_instants(sandbox, 10);
}

TEST(EntryPoints, OpenedWithoutTheSwitchThereIsNothing) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "opens_library",
                                     .args = {library_path(), "2"},
                                     .settings = "",
                                     .is_preloaded = false});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "here 0\nhere 0\n");
  EXPECT_TRUE(sandbox.files().empty());
}

TEST(EntryPoints, BothVariablesOpenTheSameSession) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "hello",
                                     .settings = kCaptureOnly,
                                     .environment = {{"STARPU_TRACE_PLUGIN", library_path()}}});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.err, "");
  ASSERT_EQ(sandbox.captures().size(), 1u);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).count(annotations::kBegin), 1u);
}

}  // namespace
}  // namespace perseid::host
