// tests/host/disk_full_test.cpp: no room on disk or in /dev/shm costs records, never the host.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

/// Mounts a small file system at `path`, visible only to this process and its children. A user
/// who is not root may do that in a namespace of his own, where the kernel allows it.
bool mount_small(const char* path, const char* size) {
  return unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("small", path, "tmpfs", MS_NOSUID | MS_NODEV, size) == 0;
}

bool can_mount() {
  const pid_t child = fork();
  if (child == 0) _exit(mount_small("/tmp", "size=1m") ? 0 : 1);
  int status = 1;
  waitpid(child, &status, 0);
  return status == 0;
}

/// Copies the capture out of the private mount before it vanishes with the last process in it.
Launch numbers_on_small_disk(const Sandbox& sandbox, const char* size,
                             const std::string& settings) {
  const std::string disk = sandbox.path("disk");
  mkdir(disk.c_str(), 0700);
  return {.program = "numbers",
          .args = {"2", "300000"},
          .settings = settings + ",dir=" + disk,
          .before_exec = [disk, size] {
            if (!mount_small(disk.c_str(), size)) _exit(124);
          }};
}

TEST(DiskFull, TheCaptureFillsItsDiskAndTheHostRunsOn) {
  if (!can_mount()) {
    // Without the right to mount, a limit on the size of files is as full as a disk gets.
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = "numbers",
                                       .args = {"2", "300000"},
                                       .settings = "export=0,ring=64K,rings=shm",
                                       .limits = {{RLIMIT_FSIZE, rlim_t{1} << 20}}});
    EXPECT_TRUE(ending.is_success()) << ending.describe();
    return;
  }
  for (const char* rings : {"shm", "capture"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run(
        numbers_on_small_disk(sandbox, "size=2m", std::string("export=0,ring=64K,rings=") + rings));
    EXPECT_TRUE(ending.is_success()) << ending.describe();
    EXPECT_EQ(ending.out, "done\n");
    EXPECT_NE(ending.err.find("No space left on device"), std::string::npos) << ending.err;
    for (const std::string& left : rings_in_shm(ending.pid)) {
      // What could not be written stays in its ring, for `perseid export`.
      EXPECT_EQ(std::string(rings), "shm") << left;
      EXPECT_EQ(0, system(("rm -r " + left).c_str()));
    }
  }
}

TEST(DiskFull, ADiskWithoutRoomForTheFirstFileIsOneLine) {
  if (!can_mount()) return;
  Sandbox sandbox;
  const Ending ending = sandbox.run(numbers_on_small_disk(sandbox, "size=64k", "ring=64K"));
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "done\n");
  EXPECT_EQ(ending.err.find("perseid: no trace: cannot create "), 0u) << ending.err;
  EXPECT_EQ(std::ranges::count(ending.err, '\n'), 1) << ending.err;
}

TEST(DiskFull, AFullDevShmMovesTheRingsToTheCapture) {
  if (!can_mount()) return;
  for (const char* size : {"size=16k", "size=640k"}) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = "numbers",
                                       .args = {"16", "20000"},
                                       .settings = "export=0,quiet=1,ring=64K",
                                       .before_exec = [size] {
                                         if (!mount_small("/dev/shm", size)) _exit(124);
                                       }});
    EXPECT_TRUE(ending.is_success()) << ending.describe();
    ASSERT_EQ(sandbox.captures().size(), 1u);
    const Recorded recorded = read_capture(sandbox.captures()[0]);
    EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
    EXPECT_EQ(recorded.numbers(), 16u * 20000) << recorded.describe();
    EXPECT_EQ(recorded.lost(), 0u);
  }
}

TEST(DiskFull, ALimitOnFileSizesIsAFullDiskAndNotASignal) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "numbers",
                                     .args = {"2", "300000"},
                                     .settings = "export=0,ring=64K,rings=shm",
                                     .limits = {{RLIMIT_FSIZE, rlim_t{1} << 20}}});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  EXPECT_EQ(ending.out, "done\n");
  EXPECT_NE(ending.err.find("perseid: cannot write "), std::string::npos) << ending.err;
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers() + recorded.lost(), 2u * 300000) << recorded.describe();
  EXPECT_GT(recorded.lost(), 0u);
  EXPECT_GT(recorded.spool_errors, 0u);
}

}  // namespace
}  // namespace perseid::host
