// tests/unit/tools/perseid/capture_removal_test.cpp: what a capture, also a hostile one, may take
// with it when it is removed.
#include "tools/perseid/capture_removal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "tests/stream/fabricate.h"

namespace perseid {
namespace {

namespace fs = std::filesystem;
using test::CaptureBuilder;
using test::TemporaryDirectory;
using test::write_file;

/// In /dev/shm, as a recorder calls it; gone at the end.
class ShmDirectory {
 public:
  ShmDirectory(pid_t pid, uint64_t session)
      : path_(fmt::format("/dev/shm/perseid-{}-{}-{:016x}", geteuid(), pid, session)) {
    fs::create_directory(path_);
  }
  ~ShmDirectory() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_ring(const std::string& path, uint64_t session) {
  std::string bytes(kRingHeaderBytes, '\0');
  std::memcpy(&bytes[offsetof(RingHeader, magic)], &kRingMagic, sizeof kRingMagic);
  std::memcpy(&bytes[offsetof(RingHeader, session)], &session, sizeof session);
  write_file(path, bytes);
}

void write_with_rings(CaptureBuilder& capture, const std::string& rings) {
  capture.manifest["rings"] = rings;
  capture.stream(1, 4242, "main").begin(10, "a").end(20, 0);
  capture.write();
}

TEST(CaptureRemoval, TakesTheCaptureAndItsRings) {
  const uint64_t session = test::kSession;
  const ShmDirectory rings(999999999, session);
  write_ring(rings.path() + "/0.ring", session);
  CaptureBuilder capture;
  write_with_rings(capture, rings.path());
  const Result<bool> removed = remove_capture(capture.path() + "/");
  EXPECT_TRUE(removed) << removed.error();
  EXPECT_FALSE(fs::exists(capture.path()));
  EXPECT_FALSE(fs::exists(rings.path()));
  EXPECT_TRUE(fs::is_empty(fs::path(capture.path()).parent_path()));
}

TEST(CaptureRemoval, LeavesForeignDirectoriesThatAManifestNames) {
  const TemporaryDirectory victim;
  write_ring(victim / "0.ring", test::kSession);
  CaptureBuilder capture;
  write_with_rings(capture, victim.path());
  EXPECT_TRUE(remove_capture(capture.path()));
  EXPECT_TRUE(fs::exists(victim / "0.ring"));
}

TEST(CaptureRemoval, LeavesAnEmptyDirectoryThatAManifestNames) {
  const TemporaryDirectory victim;
  CaptureBuilder capture;
  write_with_rings(capture, victim.path());
  EXPECT_TRUE(remove_capture(capture.path()));
  EXPECT_TRUE(fs::exists(victim.path()));
}

TEST(CaptureRemoval, LeavesRingsOfAnotherSessionAndWhatIsNoRing) {
  const ShmDirectory rings(999999998, test::kSession);
  write_ring(rings.path() + "/0.ring", test::kSession + 1);
  write_file(rings.path() + "/1.ring", "precious");
  CaptureBuilder capture;
  write_with_rings(capture, rings.path());
  EXPECT_TRUE(remove_capture(capture.path()));
  EXPECT_TRUE(fs::exists(rings.path() + "/0.ring"));
  EXPECT_TRUE(fs::exists(rings.path() + "/1.ring"));
}

TEST(CaptureRemoval, FollowsNoLinks) {
  const TemporaryDirectory elsewhere;
  fs::create_directory(elsewhere / "rings");
  write_ring(elsewhere / "rings/0.ring", test::kSession);
  const std::string link = fmt::format("/dev/shm/perseid-{}-7-{:016x}", geteuid(), test::kSession);
  fs::create_symlink(elsewhere / "rings", link);
  CaptureBuilder capture;
  write_with_rings(capture, link);
  fs::create_symlink(capture.path(), elsewhere / "link.capture");
  EXPECT_FALSE(remove_capture(elsewhere / "link.capture"));
  EXPECT_TRUE(fs::exists(capture.file("manifest")));
  EXPECT_TRUE(remove_capture(capture.path()));
  EXPECT_TRUE(fs::exists(elsewhere / "rings/0.ring"));
  fs::remove(link);
}

TEST(CaptureRemoval, RefusesWhatMayStillBeRecorded) {
  CaptureBuilder capture;
  capture.end = SessionEnd::kRunning;
  capture.write();
  const Result<bool> removed = remove_capture(capture.path());
  ASSERT_FALSE(removed);
  EXPECT_NE(removed.error().find("may still be recording"), std::string::npos) << removed.error();
  EXPECT_TRUE(fs::exists(capture.file("spool")));
}

TEST(CaptureRemoval, AKilledRemovalLeavesARestThatTheNextTakesAway) {
  const TemporaryDirectory directory;
  CaptureBuilder capture;
  capture.write();
  const std::string rest = directory / ".run.capture.removing";
  fs::copy(capture.path(), rest);
  fs::remove(rest + "/state");
  EXPECT_TRUE(is_half_removed(rest));
  EXPECT_FALSE(is_half_removed(capture.path()));
  fs::copy(rest, directory / ".other.capture.1.removing");
  EXPECT_TRUE(remove_capture(directory / ".other.capture.1.removing"));
  remove_rests_in(directory.path());
  EXPECT_TRUE(fs::is_empty(directory.path()));
}

TEST(CaptureRemoval, ATimelineThatIsNotWholeIsFound) {
  const TemporaryDirectory directory;
  write_file(directory / "good.json", "{\"traceEvents\":[]}");
  write_file(directory / "cut.json", "{\"traceEvents\":[");
  EXPECT_TRUE(read_back({directory / "good.json", "/dev/null"}));
  const Result<bool> cut = read_back({directory / "good.json", directory / "cut.json"});
  ASSERT_FALSE(cut);
  EXPECT_NE(cut.error().find("cut.json"), std::string::npos);
}

}  // namespace
}  // namespace perseid
