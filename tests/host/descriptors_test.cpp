// tests/host/descriptors_test.cpp: our descriptors are in no table of the host.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

TEST(Descriptors, TheHostSeesNoDescriptorOfOurs) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "lists_descriptors"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "");
}

TEST(Descriptors, AHostWithoutAFreeDescriptorIsTraced) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "full_descriptors", .limits = {{RLIMIT_NOFILE, 64}}});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "opened 61\n") << "none of the host's numbers is taken";
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers(), 100'000u) << recorded.describe();
  EXPECT_EQ(recorded.lost(), 0u);
}

}  // namespace
}  // namespace perseid::host
