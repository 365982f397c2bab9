// tests/unit/plugin/settings/run_registry_test.cpp: exactly one side exports each capture.
#include "plugin/settings/run_registry.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tools/perseid/registry_owner.h"

namespace perseid {
namespace {

using run_registry::announce;
using run_registry::hand_over;

RegistryOwner make_owner() {
  auto owner = RegistryOwner::create();
  if (!owner) throw std::runtime_error(owner.error());
  return std::move(*owner);
}

TEST(RunRegistry, IsPrivateAndGoneAfterItWasTaken) {
  RegistryOwner owner = make_owner();
  const std::string registry = owner.path();
  struct stat found;
  ASSERT_EQ(stat(registry.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_TRUE(owner.take_all().empty());
  EXPECT_NE(access(registry.c_str(), F_OK), 0);
}

TEST(RunRegistry, ListsWhatWasNotRecorded) {
  RegistryOwner owner = make_owner();
  const std::string registry = owner.path();
  using run_registry::report_unrecorded;
  EXPECT_TRUE(report_unrecorded(registry.c_str(), Unrecorded::kIdle, "a did\nnothing"));
  EXPECT_TRUE(announce(registry.c_str(), "/a.capture"));
  EXPECT_TRUE(report_unrecorded(registry.c_str(), Unrecorded::kUsed, "b uses c"));
  EXPECT_TRUE(report_unrecorded(registry.c_str(), Unrecorded::kReported, ""));
  EXPECT_EQ(owner.take_all().size(), 1u);
  const std::vector<Gap>& gaps = owner.gaps();
  ASSERT_EQ(gaps.size(), 3u);
  EXPECT_EQ(gaps[0].kind, Unrecorded::kIdle);
  EXPECT_EQ(gaps[0].sentence, "a did\nnothing");
  EXPECT_EQ(gaps[1].kind, Unrecorded::kUsed);
  EXPECT_EQ(gaps[1].sentence, "b uses c");
  EXPECT_EQ(gaps[2].kind, Unrecorded::kReported);
  EXPECT_FALSE(report_unrecorded(registry.c_str(), Unrecorded::kUsed, "too late"));
}

TEST(RunRegistry, ListsCapturesInOrderAndWhetherTheyAreDone) {
  RegistryOwner owner = make_owner();
  const std::string registry = owner.path();
  EXPECT_TRUE(announce(registry.c_str(), "/a.capture"));
  EXPECT_TRUE(announce(registry.c_str(), "/b c\nd\\n.capture"));
  EXPECT_TRUE(hand_over(registry.c_str(), "/b c\nd\\n.capture"));
  const auto all = owner.take_all();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].path, "/a.capture");
  EXPECT_FALSE(all[0].is_done);
  EXPECT_EQ(all[1].path, "/b c\nd\\n.capture");
  EXPECT_TRUE(all[1].is_done);
}

TEST(RunRegistry, NobodyTakesOverWithoutARegistry) {
  RegistryOwner owner = make_owner();
  const std::string registry = owner.path();
  owner.take_all();
  EXPECT_FALSE(announce(registry.c_str(), "/a.capture"));
  EXPECT_FALSE(hand_over(registry.c_str(), "/a.capture"));
  EXPECT_FALSE(hand_over(nullptr, "/a.capture"));
  EXPECT_FALSE(hand_over("", "/a.capture"));
  EXPECT_FALSE(hand_over("relative", "/a.capture"));
  EXPECT_FALSE(hand_over("/dev/null", "/a.capture"));
}

TEST(RunRegistry, NobodyTakesOverAfterItsHolderWasKilled) {
  int channel[2];
  ASSERT_EQ(pipe(channel), 0);
  const pid_t holder = fork();
  ASSERT_GE(holder, 0);
  if (holder == 0) {
    RegistryOwner owner = make_owner();
    const std::string path = owner.path();
    if (write(channel[1], path.data(), path.size()) < 0) _exit(1);
    for (;;) pause();
  }
  char path[4096] = "";
  ASSERT_GT(read(channel[0], path, sizeof path - 1), 0);
  EXPECT_TRUE(announce(path, "/a.capture"));
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  EXPECT_FALSE(hand_over(path, "/a.capture"));
  EXPECT_EQ(unlink(path), 0);
  close(channel[0]);
  close(channel[1]);
}

TEST(RunRegistry, ATornLineDoesNotHideTheNext) {
  RegistryOwner owner = make_owner();
  const std::string registry = owner.path();
  announce(registry.c_str(), "/a.capture");
  FILE* file = fopen(registry.c_str(), "a");
  ASSERT_TRUE(file);
  fputs("nonsense\nopen /torn", file);
  fclose(file);
  announce(registry.c_str(), "/b.capture");
  const auto all = owner.take_all();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].path, "/a.capture");
  EXPECT_EQ(all[1].path, "/torn");
  EXPECT_EQ(all[2].path, "/b.capture");
}

TEST(RunRegistry, OfAProcessRacingWithTheTakerExactlyOneSideExports) {
  for (int round = 0; round < 50; ++round) {
    RegistryOwner owner = make_owner();
    const std::string registry = owner.path();
    constexpr int kChildren = 8;
    pid_t children[kChildren];
    for (int i = 0; i < kChildren; ++i) {
      children[i] = fork();
      if (children[i] == 0) {
        const std::string capture = "/" + std::to_string(i);
        _exit(hand_over(registry.c_str(), capture.c_str()) ? 1 : 0);
      }
      ASSERT_GT(children[i], 0);
    }
    usleep(static_cast<useconds_t>(round * 20));
    std::set<std::string> taken;
    for (const AnnouncedCapture& one : owner.take_all()) taken.insert(one.path);
    for (int i = 0; i < kChildren; ++i) {
      int status = 0;
      ASSERT_EQ(waitpid(children[i], &status, 0), children[i]);
      ASSERT_TRUE(WIFEXITED(status));
      EXPECT_EQ(WEXITSTATUS(status) == 1, taken.contains("/" + std::to_string(i)));
    }
  }
}

TEST(RunRegistry, RunsThatStartAtOnceEachHaveOne) {
  std::vector<std::jthread> runs;
  std::atomic<int> failures = 0;
  for (int i = 0; i < 8; ++i) {
    runs.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const auto owner = RegistryOwner::create();
        if (!owner || access(owner->path().c_str(), F_OK) != 0) ++failures;
      }
    });
  }
  runs.clear();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace perseid
