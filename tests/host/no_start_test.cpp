// tests/host/no_start_test.cpp: tracing that cannot start leaves the host running, with one line.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

/// The host's own result is as ever, and exactly one line says that there is no trace.
void expect_untraced(const Ending& ending, const std::string& cause) {
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "line 0\nraw\nno newline at the end");
  EXPECT_EQ(std::ranges::count(ending.err, '\n'), 1) << ending.err;
  EXPECT_EQ(ending.err.find("perseid: no trace: cannot "), 0u) << ending.err;
  EXPECT_NE(ending.err.find(cause), std::string::npos) << ending.err;
}

TEST(NoStart, InADirectoryBelowAFile) {
  Sandbox sandbox;
  std::ofstream(sandbox.path("file")) << "not a directory";
  const Ending ending = sandbox.run({.program = "hello", .settings = "dir=file/below"});
  expect_untraced(ending, "Not a directory");
  EXPECT_EQ(sandbox.files(), std::vector<std::string>{"file"});
}

TEST(NoStart, InADirectoryThatIsNotWritable) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "hello", .settings = "dir=/proc/nowhere"});
  expect_untraced(ending, "/proc/nowhere");
  EXPECT_TRUE(sandbox.files().empty());
}

TEST(NoStart, WhenFilesMayNotGrow) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "numbers",
                                     .args = {"2", "1000"},
                                     .settings = "1",
                                     .limits = {{RLIMIT_FSIZE, 4096}}});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "done\n");
  EXPECT_EQ(ending.err.find("perseid: no trace: cannot "), 0u) << ending.err;
  EXPECT_TRUE(sandbox.files().empty());
}

#ifndef PERSEID_SANITIZED
// A sanitizer reserves terabytes of address space.
TEST(NoStart, WhenTheAddressSpaceIsUsedUp) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "hello", .settings = "1", .limits = {{RLIMIT_AS, rlim_t{14} << 20}}});
  expect_untraced(ending, "Cannot allocate memory; raise the address space limit (ulimit");
  EXPECT_TRUE(sandbox.files().empty());
}

TEST(NoStart, NotWhenTheAddressSpaceIsOnlySmall) {
  for (const rlim_t megabytes : {60, 100, 200, 300}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(
        {.program = "hello", .settings = "out=run.json", .limits = {{RLIMIT_AS, megabytes << 20}}});
    EXPECT_TRUE(ending.is_success()) << megabytes << ending.describe();
    EXPECT_NE(ending.err.find(" 0 lost"), std::string::npos) << megabytes << ending.err;
    EXPECT_EQ(sandbox.files(), std::vector<std::string>{"run.json"}) << megabytes;
  }
}

TEST(NoStart, GivesTheAddressSpaceBack) {
  Sandbox sandbox;
  // Enough for the names' reservation but not for what comes after it.
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {"1", "1", "10"},
                                     .settings = "ring=256M",
                                     .limits = {{RLIMIT_AS, rlim_t{340} << 20}}});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
}
#endif

TEST(NoStart, BadSettingsAreNamedAndTheRunGoesOn) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "hello", .settings = "export=0,quiet=1,rong=1M,ring=12Q"});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_NE(ending.err.find("rong"), std::string::npos);
  EXPECT_NE(ending.err.find("12Q"), std::string::npos);
  ASSERT_EQ(sandbox.captures().size(), 1u);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).count(annotations::kBegin), 1u);
}

TEST(NoStart, AReaderOfStderrThatHasGoneIsNotFatal) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "hello", .settings = "dir=/proc/nowhere", .before_exec = [] {
                     int ends[2];
                     if (pipe(ends) != 0) _exit(125);
                     dup2(ends[1], STDERR_FILENO);
                     close(ends[0]);
                     close(ends[1]);
                   }});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "line 0\nraw\nno newline at the end");
}

}  // namespace
}  // namespace perseid::host
