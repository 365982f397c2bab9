// tests/host/foreign_directory_test.cpp: others may rename, replace and cut what is ours, and gain
// nothing by it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

namespace fs = std::filesystem;

constexpr char kPrecious[] = "precious bytes";
constexpr uid_t kProcNull = 65534;

/// The directory around the capture is another user's where this test may give it away.
std::string make_foreign_directory(const Sandbox& sandbox) {
  const std::string path = sandbox.path("theirs");
  mkdir(path.c_str(), 0755);
  if (geteuid() == 0) {
    EXPECT_EQ(chown(path.c_str(), kProcNull, kProcNull), 0);
  }
  return path;
}

TEST(ForeignDirectory, ACaptureThatWasReplacedByLinksIsNotWrittenThroughThem) {
  for (const char* rings : {"shm", "capture"}) {
    Sandbox sandbox;
    const std::string theirs = make_foreign_directory(sandbox);
    std::ofstream(sandbox.path("precious")) << kPrecious;
    Running running = sandbox.start(
        {.program = "names_on_request",
         .args = {"20000"},
         .settings = "export=0,quiet=1,ring=64K,rings=" + std::string(rings) + ",dir=" + theirs});
    ASSERT_TRUE(running.has_printed("ready"));
    std::vector<fs::path> captures;
    for (const auto& entry : fs::directory_iterator(theirs)) captures.push_back(entry.path());
    ASSERT_EQ(captures.size(), 1u);
    const std::string moved = theirs + "/moved.capture";
    fs::rename(captures[0], moved);
    fs::create_directory(captures[0]);
    for (const char* name : {"manifest", "state", "strings", "spool", "modules", "topology",
                             "0.ring", "1.ring", "2.ring", "3.ring"})
      fs::create_symlink(sandbox.path("precious"), captures[0] / name);
    std::ofstream(sandbox.path("go")) << "go";
    const Ending ending = running.wait();
    ASSERT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_EQ(read_text(sandbox.path("precious")), kPrecious);
    const Recorded recorded = read_capture(moved);
    EXPECT_EQ(recorded.texts().size(), 20001u) << recorded.describe();
    EXPECT_EQ(recorded.lost(), 0u);
    EXPECT_TRUE(rings_in_shm(ending.pid).empty());
  }
}

TEST(ForeignDirectory, ACaptureThatWasRemovedDuringTheRunIsReportedAsThat) {
  Sandbox sandbox;
  Running running = sandbox.start({.program = "names_on_request", .settings = "out.json"});
  ASSERT_TRUE(running.has_printed("ready"));
  ASSERT_EQ(sandbox.captures().size(), 1u);
  fs::remove_all(sandbox.captures()[0]);
  std::ofstream(sandbox.path("go")) << "go";
  const Ending ending = running.wait();
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_NE(ending.err.find("was removed or renamed during the run"), std::string::npos)
      << ending.err;
  EXPECT_EQ(ending.err.find("the capture stays"), std::string::npos) << ending.err;
  EXPECT_TRUE(rings_in_shm(ending.pid).empty());
}

}  // namespace
}  // namespace perseid::host
