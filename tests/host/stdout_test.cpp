// tests/host/stdout_test.cpp: standard output belongs to the host.
#include <gtest/gtest.h>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

TEST(Stdout, IsByteForByteWhatItIsWithoutUs) {
  Sandbox sandbox;
  const Launch without{.program = "hello", .args = {"2000"}, .settings = "", .is_preloaded = false};
  Launch with = without;
  with.is_preloaded = true;
  with.settings = "ring=64K";
  const Ending plain = sandbox.run(without);
  const Ending traced = sandbox.run(with);
  ASSERT_TRUE(plain.is_success() && traced.is_success()) << traced.describe();
  EXPECT_EQ(plain.out, traced.out);
  EXPECT_EQ(plain.err, "");
  EXPECT_EQ(traced.err.find("perseid: "), 0u) << "the line at the end goes to stderr";
}

TEST(Stdout, MessagesGoToTheLogIfThereIsOne) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "hello", .settings = "log=" + sandbox.path("log") + ",rung=1"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(ending.out, "line 0\nraw\nno newline at the end");
  EXPECT_NE(read_text(sandbox.path("log")).find("rung"), std::string::npos);
}

TEST(Stdout, QuietPrintsNothingWhenAllWentWell) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "hello", .settings = "quiet=1"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.err, "");
  EXPECT_EQ(sandbox.timelines().size(), 1u);
}

}  // namespace
}  // namespace perseid::host
