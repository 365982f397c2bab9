// tests/host/files_test.cpp: our files stay out of the host's way.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

namespace fs = std::filesystem;

TEST(Files, NoDescriptorReachesAProgramThatIsExecuted) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "lists_descriptors", .args = {"exec"}});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "");
}

TEST(Files, AreReadableByTheirOwnerAlone) {
  Sandbox sandbox;
  Running running = sandbox.start({.program = "waits_for_signal", .args = {"default", "15"}});
  ASSERT_TRUE(running.has_printed("ready"));
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const std::string capture = sandbox.captures()[0];
  std::vector<std::string> places = rings_in_shm(running.pid());
  EXPECT_EQ(places.size(), 1u);
  places.push_back(capture);
  size_t files = 0;
  for (const std::string& place : places) {
    EXPECT_EQ(fs::status(place).permissions(), fs::perms::owner_all) << place;
    for (const auto& entry : fs::directory_iterator(place)) {
      EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write)
          << entry.path();
      ++files;
    }
  }
  EXPECT_GE(files, 5u);
  running.send(SIGTERM);
  const Ending ending = running.wait();
  EXPECT_TRUE(rings_in_shm(ending.pid).empty());
}

TEST(Files, NothingIsLeftInDevShmAfterACleanEnd) {
  for (const char* settings : {"1", "keep=1", "export=0", "on_full=drop,ring=64K",
                               "on_full=overwrite,ring=64K", "rings=capture"}) {
    Sandbox sandbox;
    const Ending ending =
        sandbox.run({.program = "numbers", .args = {"3", "20000"}, .settings = settings});
    ASSERT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_TRUE(rings_in_shm(ending.pid).empty()) << settings;
    for (const std::string& file : sandbox.files())
      EXPECT_FALSE(file.ends_with(".ring")) << settings << ' ' << file;
  }
}

TEST(Files, TheCaptureIsGoneAfterItsTimelineIsThere) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "hello", .settings = "out.json"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(sandbox.files(), std::vector<std::string>{"out.json"});
}

// Names and counters are stored by the host's own threads, all the time. A mapped page that is no
// longer in its file ends a program with SIGBUS.
TEST(Files, TruncatedDuringTheRunLeaveTheProgramAlone) {
  using Names = std::vector<std::string>;
  for (const Names& truncated : {Names{"state"}, Names{"strings"}, Names{"state", "strings"}}) {
    Sandbox sandbox;
    Running running = sandbox.start({.program = "names_on_request", .args = {"20000"}});
    ASSERT_TRUE(running.has_printed("ready"));
    ASSERT_EQ(sandbox.captures().size(), 1u);
    for (const std::string& name : truncated)
      fs::resize_file(sandbox.captures()[0] + '/' + name, 0);
    std::ofstream(sandbox.path("go")) << '\n';
    const Ending ending = running.wait();
    EXPECT_TRUE(ending.is_success()) << truncated.front() << ": " << ending.describe();
    EXPECT_EQ(ending.out, "ready\ndone\n");
  }
}

#ifndef PERSEID_THREAD_SANITIZED
// ThreadSanitizer reports the very thing that is tested, a descriptor that is closed while another
// thread writes to it, and stumbles over its own descriptors being closed.
TEST(Files, AHostThatClosesAllDescriptorsLosesNothing) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "closes_descriptors", .settings = "export=0,quiet=1,ring=64K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "own bytes 0\n") << "records went into the host's own files";
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers(), 40000u) << recorded.describe();
  EXPECT_EQ(find_gap(recorded.streams[0], 40000), "");
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
}

TEST(Files, AHostThatFightsForDescriptorsFindsItsOwnBytesInItsFiles) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "fights_for_descriptors",
                                     .args = {"20000"},
                                     .settings = "export=0,quiet=1,ring=64K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "own bytes 0\n");
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.lost(), 0u);
}
#endif

}  // namespace
}  // namespace perseid::host
