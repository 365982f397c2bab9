// tests/stream/starpu/odd_streams_test.cpp: records that are missing, doubled or senseless.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <random>

#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

using events::WaitKind;

TEST(StarpuOddStreams, AnExecutionWithoutSubmissionSaysSo) {
  StarpuCapture starpu(1);
  starpu.main().named(30, events::kFunction, "unseen", {0xf1, 0, 0});
  starpu.worker(0).exec(50, 0, 0xa, {.function = 0xf1}).exec_end(60, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"50..60 unseen"});
  EXPECT_EQ(argument_of(reading, "unseen", "submission"), "not recorded");
  EXPECT_EQ(reading.sink.fact("starpu_executions_without_submission"), "1");
}

TEST(StarpuOddStreams, EndsWithoutBeginAreCounted) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(30, 0xa, {.name = "a"})
      .submit_end(50, 0xa)
      .wait_end(60, WaitKind::kForAll)
      .record(70, events::kCopyEnd, 0, {1})
      .record(80, events::kCopyDone, 0, {5, 6})
      .record(90, events::kIterationPop, 0);
  starpu.worker(0)
      .exec(100, 0, 0xa)
      .exec_end(110, 0, 0xa)
      .exec_end(120, 0, 0xa)
      .exec_end(130, 0, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"100..110 a <-1"});
  EXPECT_EQ(reading.report.orphan_ends, 7u);
  EXPECT_EQ(reading.sink.fact("ends_without_begin"), "7");
}

TEST(StarpuOddStreams, WhatIsOpenAtTheEndIsUnfinished) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(30, 0xa, {.name = "runs"})
      .submit_at(50, 0xb, {.name = "never ran"})
      .wait(80, WaitKind::kForAll);
  starpu.worker(0).exec(100, 0, 0xa);
  starpu.main().record(500, events::kUserEvent, 0, {1});
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"100..500 runs <-1"});
  EXPECT_EQ(argument_of(reading, "runs", "unfinished"), "true");
  EXPECT_EQ(argument_of(reading, "wait for all tasks", "unfinished"), "true");
  EXPECT_EQ(reading.sink.fact("starpu_unfinished_tasks"), "2");
}

TEST(StarpuOddStreams, ALostEndOfAnExecutionIsInferred) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(30, 0xa, {.name = "cleaned"})
      .submit_at(60, 0xb, {.name = "submitted anew"});
  starpu.worker(0).exec(100, 0, 0xa).clean(150, 0xa).exec(200, 0, 0xb);
  starpu.main().submit_at(250, 0xb, {.name = "next"});
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"),
            (Lines{"100..150 cleaned <-1", "200..250 submitted anew <-2"}));
  EXPECT_EQ(argument_of(reading, "cleaned", "end"), "inferred");
  EXPECT_EQ(argument_of(reading, "submitted anew", "end"), "lost");
}

TEST(StarpuOddStreams, CallsEndWhereTheirThreadLostRecords) {
  StarpuCapture starpu(1);
  starpu.main().submit(30, 0xa, {.name = "a"});
  starpu.main().stream().lost(100, 0, 5, 40, 0);
  starpu.main().submit_at(200, 0xb, {.name = "b"});
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "submit a", "end"), "lost");
  EXPECT_EQ(argument_of(reading, "submit b", "by"), "");
  EXPECT_EQ(reading.report.lost, 5u);
}

TEST(StarpuOddStreams, AnInnerCallWithoutEndEndsWithTheOuterOne) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit(30, 0xa, {.name = "outer"})
      .submit(40, 0xb, {.name = "inner"})
      .submit_end(90, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "submit inner", "end"), "lost");
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(StarpuOddStreams, RecordsThatWereCutAreHarmless) {
  StarpuCapture starpu(1);
  for (const EventInfo& event : events::kEvents) {
    starpu.main().record(100 + event.index, static_cast<events::Event>(event.index), 0, {});
    starpu.worker(0).record(100 + event.index, static_cast<events::Event>(event.index), ~0u, {0xa});
  }
  starpu.start(900, 1, "lws");
  starpu.main().submit_at(1000, 0xb, {.name = "whole"});
  starpu.worker(0).exec(1100, 0, 0xb).exec_end(1200, 0, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.sink.find_overlap(), "");
  // What comes behind them is read as if they were not there.
  EXPECT_EQ(arrows(reading), Lines{"submit whole > whole"});
}

/// Any order of any records: slices nest, and every arrow has exactly one source.
TEST(StarpuOddStreams, NoOrderOfRecordsBreaksTheTimeline) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t limit) { return random() % limit; };
    StarpuCapture starpu(3, seed % 2 == 0 ? "lws" : "dmda");
    std::vector<events::Event> kinds;
    for (const EventInfo& event : events::kEvents) {
      const auto kind = static_cast<events::Event>(event.index);
      kinds.insert(kinds.end(), kind >= events::kSubmit && kind < events::kTaskDeps ? 6 : 1, kind);
    }
    std::vector<StarpuThread*> threads = {&starpu.main(), &starpu.worker(0), &starpu.worker(1),
                                          &starpu.worker(2)};
    int64_t now = 1000;
    for (int i = 0; i < 1500; ++i) {
      now += static_cast<int64_t>(below(3000));
      const auto kind = kinds[below(kinds.size())];
      Words words = {0xa0 + below(6)};
      for (uint64_t left = below(12); left > 0; --left) {
        words.push_back(below(3) == 0 ? random() : 0xa0 + below(8));
      }
      threads[below(threads.size())]->record(now, kind, static_cast<uint32_t>(below(5)), words);
    }
    const Reading reading = starpu.read();
    ASSERT_EQ(reading.error, "");
    ASSERT_EQ(reading.sink.find_overlap(), "") << "seed " << seed;
    for (const std::string& arrow : arrows(reading)) {
      // A message's other end is in the capture of another rank.
      if (arrow == "NOTHING > received") continue;
      ASSERT_FALSE(arrow.starts_with("NOTHING")) << arrow << ", seed " << seed;
    }
  }
}

/// Keeps nothing, and looks how much memory is in use.
class MemorySink final : public TraceSink {
 public:
  void process(const Process&) override {}
  void track(const Track&) override {}
  void slice(const Slice&) override {
    if (++slices_ % 512 != 0) return;
    const size_t bytes = mallinfo2().uordblks;
    if (first_ == 0) first_ = bytes;
    if (bytes > first_) growth = std::max(growth, bytes - first_);
  }
  void counter(TrackId, int64_t, double) override {}
  void finish(const RunFacts&) override {}
  size_t growth = 0;  // since the first tasks

 private:
  uint64_t slices_ = 0;
  size_t first_ = 0;
};

TEST(StarpuOddStreams, MemoryGrowsWithOpenTasksNotWithTasks) {
  StarpuCapture starpu(1);
  for (int i = 0; i < 40'000; ++i) {
    const int64_t at = 1000 + 100 * i;
    const uint64_t task = 0xa000 + 16 * static_cast<uint64_t>(i % 8);
    const uint64_t handle = static_cast<uint64_t>(1 + i % 4);
    starpu.main().submit_at(
        at, task,
        {.name = "t", .uses = {{handle, events::kRead | events::kWrite}, {9, events::kRead}}});
    starpu.worker(0).exec(at + 20, 0, task).exec_end(at + 60, 0, task).clean(at + 70, task);
    if (i % 1000 != 0) continue;
    starpu.main().stream().cut();
    starpu.worker(0).stream().cut();
  }
  starpu.capture.write();
  Result<std::unique_ptr<Capture>> opened = Capture::open(starpu.capture.path(), known_kinds());
  MemorySink sink;
  const WalkReport report = walk(**opened, sink, {.progress = {}, .dependency_arrows = UINT64_MAX});
  EXPECT_GT(report.records, 200'000u);
  EXPECT_LT(sink.growth, 64u * 1024);
}

}  // namespace
}  // namespace perseid::test
