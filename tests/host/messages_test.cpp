// tests/host/messages_test.cpp: messages reach standard error or the log, and no file of the
// program.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

TEST(Messages, NeverReachAFileOfTheProgramThatHasTheNumberOfStderr) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "own_stderr", .args = {"data"}, .settings = "out=run.json"});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(read_text(sandbox.path("data")), "DATABASE\n");
  EXPECT_EQ(sandbox.files(), (std::vector<std::string>{"data", "run.json"}));
}

TEST(Messages, StillReachTheLogOfSuchAProgram) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "own_stderr", .args = {"data"}, .settings = "out=run.json,log=log"});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(read_text(sandbox.path("data")), "DATABASE\n");
  EXPECT_NE(read_text(sandbox.path("log")).find(" 0 lost"), std::string::npos);
}

TEST(Messages, ReachNoDescriptorThatCameAfterAStartWithoutStderr) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(
      {.program = "own_stderr", .args = {"data"}, .settings = "out=run.json", .before_exec = [] {
         close(STDERR_FILENO);
       }});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(read_text(sandbox.path("data")), "DATABASE\n");
}

TEST(Messages, NameTheCommandAsItWasStarted) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "overwrites_arguments", .args = {"-n", "20"}, .settings = "keep=1"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const std::string manifest = read_text(sandbox.captures()[0] + "/manifest");
  EXPECT_NE(manifest.find("/overwrites_arguments -n 20\n"), std::string::npos) << manifest;
}

}  // namespace
}  // namespace perseid::host
