// tests/unit/plugin/session/cpu_sampler_test.cpp: threads that ask for it are sampled while they
// live, however many there are.
#include "plugin/session/cpu_sampler.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "capture/reader.h"
#include "plugin/record/emit.h"
#include "plugin/session/session.h"
#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

constexpr uint16_t kSomeKind = core::kind(core::kSelfFlush);

void work(std::chrono::milliseconds of_cpu) {
  timespec used{};
  const auto end_ns = read_clock_ns(CLOCK_THREAD_CPUTIME_ID) + of_cpu.count() * 1'000'000;
  do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  while (read_clock_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns);
}

uint32_t this_tid() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

TEST(CpuClock, IsThatOfTheThreadAndGoesWithIt) {
  const uint64_t before = cpu_ns_of(this_tid());
  if (before == 0) GTEST_SKIP() << "this machine does not count";
  work(std::chrono::milliseconds(5));
  EXPECT_GE(cpu_ns_of(this_tid()), before + 5'000'000);
  const uint64_t after = cpu_ns_of(this_tid());
  EXPECT_LE(after, static_cast<uint64_t>(read_clock_ns(CLOCK_THREAD_CPUTIME_ID)));

  uint32_t tid = 0;
  std::thread([&tid] { tid = this_tid(); }).join();
  // It has been joined before the kernel has quite forgotten it.
  for (int i = 0; i < 1000 && cpu_ns_of(tid) != 0; ++i) usleep(1000);
  EXPECT_EQ(cpu_ns_of(tid), 0u);
}

/// A session of this very process, without the entry points of the library.
class CpuSamplerTest : public testing::Test {
 protected:
  using Samples = std::map<uint64_t, std::vector<uint64_t>>;  // by stream, in order of time

  static void SetUpTestSuite() {
    pthread_key_create(&g_origin.thread_key, [](void* ring) {
      t_ring = nullptr;
      session().pool.retire(*static_cast<Ring*>(ring));
    });
  }
  void SetUp() override {
    if (cpu_ns_of(this_tid()) == 0) GTEST_SKIP() << "this machine does not count";
    Settings& settings = g_origin.settings;
    settings = Settings{};
    settings.is_on = true;
    settings.export_at_end = false;
    settings.quiet = true;
    settings.ring_bytes = 64 * 1024;
    directory_.path().copy(settings.dir, sizeof settings.dir - 1);
    sched_getaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
    choose_clock(ClockChoice::kAuto);
    t_ring = nullptr;
    arm();
  }
  void TearDown() override {
    if (session().state.load() != SessionState::kDone) end_session(0);
    t_ring = nullptr;
  }

  Samples finish() {
    end_session(0);
    t_ring = nullptr;
    KnownKinds known{};
    known[0] = std::size(core::kEvents);
    auto capture = Capture::open(session().capture, known);
    Samples samples;
    if (!capture) return samples;
    EXPECT_EQ((*capture)->damages().count(), 0u);
    for (const StreamSource& source : (*capture)->streams()) {
      recorders_ += source.role == StreamRole::kRecorder ? 1 : 0;
      StreamCursor cursor(**capture, source);
      while (cursor.next() == StreamCursor::Step::kRecord) {
        if (cursor.record().kind != core::kind(core::kCpuTimes)) continue;
        EXPECT_EQ(source.role, StreamRole::kRecorder);
        const auto words = cursor.words();
        for (size_t i = 0; i + 1 < words.size(); i += 2) samples[words[i]].push_back(words[i + 1]);
      }
    }
    return samples;
  }

  TemporaryDirectory directory_;
  size_t recorders_ = 0;
};

TEST_F(CpuSamplerTest, ThreadsThatAskedAreSampledUntilTheyEnd) {
  emit(kSomeKind, 0, uint64_t{0});  // this thread does not ask
  std::atomic<uint32_t> stream{0};
  std::thread([&] {
    emit(kSomeKind, 0, uint64_t{0});
    want_cpu_time();
    stream = t_ring->info().stream;
    work(std::chrono::milliseconds(350));
  }).join();
  work(std::chrono::milliseconds(250));
  const Samples samples = finish();
  ASSERT_EQ(samples.size(), 1u);
  ASSERT_EQ(samples.begin()->first, stream.load());
  const std::vector<uint64_t>& used = samples.begin()->second;
  EXPECT_GE(used.size(), 2u);
  EXPECT_TRUE(std::is_sorted(used.begin(), used.end()));
  EXPECT_LT(used.back(), 600'000'000u);
  EXPECT_EQ(recorders_, 1u);
}

// A process gets a second session only by forking. Here each test makes one where the last one was,
// which a race detector reports: under it there is the first test alone.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERSEID_THREAD_SANITIZED
#endif
#endif
#ifndef PERSEID_THREAD_SANITIZED

TEST_F(CpuSamplerTest, ManyThreadsAreAllSampled) {
  constexpr size_t kThreads = 40;  // more than a record holds
  std::atomic<bool> is_over{false};
  std::atomic<size_t> ready{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      emit(kSomeKind, 0, uint64_t{0});
      want_cpu_time();
      ++ready;
      while (!is_over) usleep(1000);
    });
  }
  while (ready < kThreads) usleep(1000);
  usleep(250'000);
  const Samples samples = finish();
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(samples.size(), kThreads);
}

TEST_F(CpuSamplerTest, WithoutSuchAThreadThereIsNoStream) {
  emit(kSomeKind, 0, uint64_t{0});
  usleep(250'000);
  EXPECT_TRUE(finish().empty());
  EXPECT_EQ(recorders_, 0u);
}

#endif

}  // namespace
}  // namespace perseid
