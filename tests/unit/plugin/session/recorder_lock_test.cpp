// tests/unit/plugin/session/recorder_lock_test.cpp: who sees the lock, and what drops it.
#include "plugin/session/recorder_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

/// As another process sees it.
bool is_locked(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int fd = open(path.c_str(), O_RDONLY);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 1;
}

class RecorderLockTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_) << "state"; }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("state");
  RecorderLock lock_;
};

TEST_F(RecorderLockTest, OthersSeeItUntilItIsReleased) {
  EXPECT_FALSE(is_locked(path_));
  lock_.hold(path_.c_str());
  EXPECT_TRUE(is_locked(path_));
  lock_.release();
  EXPECT_FALSE(is_locked(path_));
}

TEST_F(RecorderLockTest, AForkedChildNeitherHoldsNorDropsIt) {
  lock_.hold(path_.c_str());
  const pid_t child = fork();
  if (child == 0) {
    lock_.forget_in_child();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(is_locked(path_));
  lock_.release();
}

TEST_F(RecorderLockTest, WhereNothingCanBeLockedNothingHappens) {
  lock_.hold((path_ + "/none").c_str());
  lock_.forget_in_child();
  lock_.release();
  EXPECT_FALSE(is_locked(path_));
}

}  // namespace
}  // namespace perseid
