// tests/host/killed_test.cpp: whatever ends the process, everything recorded is on disk.
//
// The oracle is a shared page in which each thread notes a number after its record is committed.
// Rings are small, so that the spool, the rings and the threads' own flushes are all in play.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr int kThreads = 2;
constexpr uint64_t kThreadMask = (uint64_t{1} << 40) - 1;

std::vector<uint64_t> read_oracle(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<uint64_t> committed;
  for (int thread = 0; thread < kThreads; ++thread) {
    uint64_t line[8] = {};
    file.read(reinterpret_cast<char*>(line), sizeof line);
    committed.push_back(line[0]);
  }
  return committed;
}

void expect_everything(const Sandbox& sandbox, const std::string& oracle) {
  const std::vector<uint64_t> committed = read_oracle(oracle);
  const auto captures = sandbox.captures();
  ASSERT_EQ(captures.size(), 1u);
  const Recorded recorded = read_capture(captures[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  EXPECT_EQ(recorded.lost(), 0u);
  EXPECT_EQ(recorded.end, SessionEnd::kRunning);
  uint64_t seen = 0;
  for (const RecordedStream& stream : recorded.streams) {
    if (stream.numbers.empty()) continue;
    const uint64_t thread = stream.numbers.front() >> 40;
    ASSERT_LT(thread, committed.size());
    EXPECT_EQ(stream.numbers.front() & kThreadMask, 0u);
    EXPECT_EQ(find_gap(stream, committed[thread]), "");
    // A record may be committed and its number not yet noted.
    EXPECT_LE(stream.numbers.size(), committed[thread] + 1);
    EXPECT_EQ(stream.holes, 0u);
    ++seen;
  }
  uint64_t threads_with_events = 0;
  for (const uint64_t count : committed) threads_with_events += count > 0;
  EXPECT_GE(seen, threads_with_events);
}

void kill_at_random_moments(const std::string& settings, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> microseconds(1'000, kIsSanitized ? 400'000 : 150'000);
  uint64_t all = 0;
  for (int trial = 0; trial < 10; ++trial) {
    Sandbox sandbox;
    const std::string oracle = sandbox.path("oracle");
    Running running =
        sandbox.start({.program = "numbers", .args = {"2", "0", oracle}, .settings = settings});
    ASSERT_TRUE(eventually([&] { return sandbox.captures().size() == 1; }));
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds(random)));
    running.send(SIGKILL);
    const Ending ending = running.wait();
    ASSERT_EQ(ending.signal, SIGKILL) << ending.describe();
    for (const uint64_t count : read_oracle(oracle)) all += count;
    // Killed before the manifest was written there is nothing to read, and nothing was recorded.
    if (read_oracle(oracle)[0] + read_oracle(oracle)[1] == 0) continue;
    expect_everything(sandbox, oracle);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(all, 10'000u) << "the trials recorded hardly anything";
}

void crash(const char* how, int signal, const std::string& settings) {
  for (const char* milliseconds : {"20", "70"}) {
    Sandbox sandbox;
    const std::string oracle = sandbox.path("oracle");
    const Ending ending = sandbox.run({.program = "numbers",
                                       .args = {"2", "0", oracle, how, milliseconds},
                                       .settings = settings,
                                       .limits = {{RLIMIT_CORE, 0}}});
    ASSERT_EQ(ending.signal, signal) << ending.describe();
    expect_everything(sandbox, oracle);
  }
}

constexpr char kSmallShm[] = "export=0,quiet=1,ring=64K,rings=shm";
constexpr char kSmallCapture[] = "export=0,quiet=1,ring=64K,rings=capture";

TEST(Killed, BySigkillWithRingsInShmLosesNothing) { kill_at_random_moments(kSmallShm, 1); }
TEST(Killed, BySigkillWithRingsInTheCaptureLosesNothing) {
  kill_at_random_moments(kSmallCapture, 2);
}
TEST(Killed, BySigsegvLosesNothing) {
  crash("segv", SIGSEGV, kSmallShm);
  crash("segv", SIGSEGV, kSmallCapture);
}
TEST(Killed, ByAbortLosesNothing) {
  crash("abort", SIGABRT, kSmallShm);
  crash("abort", SIGABRT, kSmallCapture);
}

TEST(Killed, LeavesWhatTheCommandLineTurnsIntoATimeline) {
  Sandbox sandbox;
  const std::string oracle = sandbox.path("oracle");
  const Ending killed = sandbox.run({.program = "numbers",
                                     .args = {"2", "0", oracle, "segv", "20"},
                                     .settings = kSmallShm,
                                     .limits = {{RLIMIT_CORE, 0}}});
  ASSERT_EQ(killed.signal, SIGSEGV) << killed.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const std::string capture = sandbox.captures()[0];
  const Launch check{
      .program = PERSEID_TOOL, .args = {"check", capture}, .settings = "", .is_preloaded = false};
  const Ending checked = sandbox.run(check);
  EXPECT_TRUE(checked.is_success()) << checked.describe();
  const Ending exported = sandbox.run({.program = PERSEID_TOOL,
                                       .args = {"export", capture, "-o", "after.json"},
                                       .settings = "",
                                       .is_preloaded = false});
  EXPECT_TRUE(exported.is_success()) << exported.describe();
  EXPECT_EQ(sandbox.timelines(), std::vector<std::string>{sandbox.path("after.json")});
}

TEST(Killed, AsAFlightRecorderKeepsTheLastRecords) {
  Sandbox sandbox;
  const std::string oracle = sandbox.path("oracle");
  Running running = sandbox.start({.program = "numbers",
                                   .args = {"2", "0", oracle},
                                   .settings = "export=0,quiet=1,ring=64K,on_full=overwrite"});
  ASSERT_TRUE(eventually([&] {
    const auto committed = read_oracle(oracle);
    return committed[0] > 100'000 && committed[1] > 100'000;
  }));
  running.send(SIGKILL);
  ASSERT_EQ(running.wait().signal, SIGKILL);
  const std::vector<uint64_t> committed = read_oracle(oracle);
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  ASSERT_EQ(recorded.streams.size(), 2u);
  for (const RecordedStream& stream : recorded.streams) {
    ASSERT_GT(stream.numbers.size(), 2000u);
    EXPECT_EQ(find_gap(stream, 0), "");
    const uint64_t thread = stream.numbers.back() >> 40;
    EXPECT_GE((stream.numbers.back() & kThreadMask) + 1, committed[thread]);
  }
}

}  // namespace
}  // namespace perseid::host
