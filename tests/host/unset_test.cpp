// tests/host/unset_test.cpp: without the switch we are absent; without activity nothing is on disk.
#include <gtest/gtest.h>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

std::string seen_by(const Launch& launch) {
  Sandbox sandbox;
  const Ending ending = sandbox.run(launch);
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.err, "");
  EXPECT_TRUE(sandbox.files().empty()) << sandbox.files().front();
  EXPECT_TRUE(rings_in_shm(ending.pid).empty());
  return ending.out;
}

TEST(Unset, NoThreadNoHandlerNoDescriptorNoFile) {
  const std::string without =
      seen_by({.program = "inert", .args = {"record"}, .settings = "", .is_preloaded = false});
  if (!kIsSanitized) {
    EXPECT_EQ(without, "threads 1 handlers 0 descriptors 3 here 0\n");
  }
  for (const char* settings : {"", "0", "off", "off,ring=1M"})
    EXPECT_EQ(seen_by({.program = "inert", .args = {"record"}, .settings = settings}), without)
        << settings;
}

TEST(Unset, SwitchedOnButWithoutActivityThereIsNothingEither) {
  const std::string without = seen_by({.program = "inert", .settings = "", .is_preloaded = false});
  std::string expected = without;
  expected.replace(expected.find("here 0"), 6, "here 1");
  EXPECT_EQ(seen_by({.program = "inert", .settings = "1"}), expected);
}

#ifndef PERSEID_SANITIZED
// An instrumented library cannot enter the system's own programs.
TEST(Unset, ShellsAndLaunchersDoNotNotice) {
  for (const char* command :
       {"echo a | tee /dev/null", "timeout 5 true", "ls / > /dev/null; exit 3"}) {
    Sandbox sandbox;
    const Launch without{
        .program = "/bin/sh", .args = {"-c", command}, .settings = "", .is_preloaded = false};
    Launch with = without;
    with.settings = "1";
    with.is_preloaded = true;
    const Ending plain = sandbox.run(without);
    const Ending traced = sandbox.run(with);
    EXPECT_EQ(plain.exit_code, traced.exit_code);
    EXPECT_EQ(plain.out, traced.out);
    EXPECT_EQ(traced.err, "");
    EXPECT_TRUE(sandbox.files().empty());
  }
}
#endif

}  // namespace
}  // namespace perseid::host
