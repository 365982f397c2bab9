// tests/unit/plugin/record/mirrored_memory_test.cpp: the file has what the memory has, while it
// can.
#include "plugin/record/mirrored_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

constexpr uint64_t kStep = 64 * 1024;

class MirroredMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    fd_ = open(directory_.file("file").c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ASSERT_GE(fd_, 0);
    ASSERT_TRUE(memory_.reserve(4 * kStep));
    ASSERT_TRUE(memory_.extend(fd_, kStep));
  }
  void TearDown() override {
    memory_.release();
    close(fd_);
  }

  void store(uint64_t at, const char* text) {
    std::strcpy(reinterpret_cast<char*>(memory_.data() + at), text);
    memory_.mirror(memory_.data() + at, std::strlen(text) + 1);
  }
  std::string stored(uint64_t at) const {
    char text[32] = "";
    return pread(fd_, text, sizeof text - 1, static_cast<off_t>(at)) < 0 ? "unreadable" : text;
  }

  TemporaryDirectory directory_;
  int fd_ = -1;
  MirroredMemory memory_;
};

/// The calling thread, and no other, gets EPERM from process_vm_readv.
bool refuse_system_call() {
  sock_filter rules[] = {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_process_vm_readv},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
  };
  const sock_fprog program{std::size(rules), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_F(MirroredMemoryTest, WhatIsMirroredIsInTheFile) {
  store(100, "one");
  EXPECT_EQ(stored(100), "one");
  memory_.data()[100] = std::byte{'x'};
  EXPECT_EQ(stored(100), "one") << "not before it is mirrored";
}

TEST_F(MirroredMemoryTest, WhatItHeldStaysWhereItIsWhenItGrows) {
  store(kStep - 4, "one");
  const std::byte* const before = memory_.data();
  ASSERT_TRUE(memory_.extend(fd_, kStep));
  EXPECT_EQ(memory_.data(), before);
  EXPECT_EQ(memory_.size(), 2 * kStep);
  store(kStep - 2, "across");
  EXPECT_EQ(stored(kStep - 4), "onacross");
}

TEST_F(MirroredMemoryTest, ATruncatedFileGetsNothingAndDoesNoHarm) {
  ASSERT_EQ(ftruncate(fd_, 0), 0);
  errno = 7;
  store(100, "one");
  std::atomic<uint64_t>& value = *new (memory_.data() + 8192) std::atomic<uint64_t>(5);
  memory_.mirror(value);
  EXPECT_EQ(errno, 7);
  EXPECT_STREQ(reinterpret_cast<const char*>(memory_.data() + 100), "one");
  EXPECT_EQ(stored(100), "");
  ASSERT_EQ(ftruncate(fd_, kStep), 0);
  store(100, "two");
  EXPECT_EQ(stored(100), "two") << "once it has room again";
}

TEST_F(MirroredMemoryTest, WhereTheSystemCallIsRefusedTheThreadStoresItself) {
  std::thread([this] {
    ASSERT_TRUE(refuse_system_call());
    errno = 7;
    store(100, "one");
    EXPECT_EQ(errno, 7);
    char to, from = 1;
    const iovec local{&to, 1}, remote{&from, 1};
    EXPECT_EQ(process_vm_readv(getpid(), &local, 1, &remote, 1, 0), -1);
  }).join();
  EXPECT_EQ(stored(100), "one");
}

TEST_F(MirroredMemoryTest, TheLastValueOfManyThreadsIsInTheFile) {
  std::atomic<uint64_t>& value = *new (memory_.data()) std::atomic<uint64_t>(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 5000; ++n) {
        value.fetch_add(1);
        memory_.mirror(value);
      }
    });
  for (std::thread& thread : threads) thread.join();
  uint64_t in_file = 0;
  ASSERT_EQ(pread(fd_, &in_file, sizeof in_file, 0), 8);
  EXPECT_EQ(in_file, 20'000u);
}

TEST_F(MirroredMemoryTest, AForkedChildHasNeitherPart) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto is_there = [](const void* at) {
      char to;
      const iovec local{&to, 1}, remote{const_cast<void*>(at), 1};
      return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
    };
    const std::byte* const mirror = memory_.data() + memory_.reserved_bytes();
    _exit(is_there(memory_.data()) || is_there(mirror) || !is_there(&memory_) ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// A store of the thread's own would end it with SIGBUS here: the file is truncated.
TEST_F(MirroredMemoryTest, AProcessWithoutItsFirstThreadCanMirror) {
  memory_.release();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!memory_.reserve(kStep) || !memory_.extend(fd_, kStep)) _exit(1);
    std::thread([this] {
      char to, from = 1;
      const iovec local{&to, 1}, remote{&from, 1};
      for (int i = 0; i < 1000; ++i) {
        if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) < 0) break;
        usleep(10'000);
      }
      store(100, "alone");
      const bool is_stored = stored(100) == "alone";
      if (ftruncate(fd_, 0) != 0) _exit(2);
      store(100, "nowhere");
      _exit(is_stored ? 0 : 3);
    }).detach();
    syscall(SYS_exit, 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace perseid
