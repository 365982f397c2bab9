// tests/unit/timeline/analysis/chain_test.cpp: what made-up runs waited for, against known answers.
#include "timeline/analysis/chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "tests/unit/timeline/analysis/schedule.h"
#include "timeline/model/rows_builder.h"

namespace perseid::test {
namespace {

using Labels = std::map<ChainLabel, int64_t>;
using State = WorkerState;

Labels labels_of(const Chain& chain) {
  Labels labels;
  for (size_t i = 0; i < kChainLabels; ++i) {
    if (chain.ns[i] != 0) labels[static_cast<ChainLabel>(i)] = chain.ns[i];
  }
  return labels;
}

/// What holds for every chain.
void expect_sound(const ChainAnalysis& analysis) {
  const Chain& chain = analysis.chain();
  const int64_t sum = std::accumulate(chain.ns.begin(), chain.ns.end(), int64_t{0});
  EXPECT_EQ(sum, analysis.end_ns() - analysis.begin_ns());
  for (const int64_t ns : chain.ns) EXPECT_GE(ns, 0);
  int64_t kinds = 0;
  for (const KindTime& kind : chain.work) kinds += kind.ns;
  EXPECT_EQ(kinds, chain.ns[static_cast<size_t>(ChainLabel::kWork)] +
                       chain.ns[static_cast<size_t>(ChainLabel::kBusy)]);
  int64_t at_ns = chain.latest.empty() ? analysis.end_ns() : chain.latest.front().begin_ns;
  if (chain.latest.size() < ChainAnalysis::kNewestSegments) {
    EXPECT_EQ(at_ns, analysis.begin_ns());
    Labels segments;
    for (const ChainSegment& segment : chain.latest) {
      segments[segment.label] += segment.end_ns - segment.begin_ns;
    }
    EXPECT_EQ(segments, labels_of(chain));
  }
  for (const ChainSegment& segment : chain.latest) {
    EXPECT_EQ(segment.begin_ns, at_ns);
    EXPECT_LT(segment.begin_ns, segment.end_ns);
    at_ns = segment.end_ns;
  }
  EXPECT_EQ(at_ns, analysis.end_ns());
  Bounds bounds;
  analysis.fill_in(bounds);
  EXPECT_LE(bounds.chain_ns, sum);
  int64_t longest = 0;
  for (const KindTime& kind : bounds.longest) longest += kind.ns;
  EXPECT_EQ(longest, bounds.chain_ns);
}

class ChainTest : public testing::Test {
 protected:
  Labels analyse(Schedule& schedule, size_t events_per_batch = 1000) {
    schedule.feed(analysis_, events_per_batch);
    expect_sound(analysis_);
    return labels_of(analysis_.chain());
  }
  int64_t longest() const {
    Bounds bounds;
    analysis_.fill_in(bounds);
    return bounds.chain_ns;
  }
  std::vector<TaskId> tasks_on_chain() const {
    std::vector<TaskId> tasks;
    for (const ChainSegment& segment : analysis_.chain().latest) {
      if (segment.task != 0 && (tasks.empty() || tasks.back() != segment.task)) {
        tasks.push_back(segment.task);
      }
    }
    return tasks;
  }

  ChainAnalysis analysis_;
};

TEST_F(ChainTest, NothingIsNothing) {
  Schedule schedule(2);
  EXPECT_EQ(analyse(schedule), Labels{});
  EXPECT_EQ(longest(), 0);
}

TEST_F(ChainTest, OfAChainOfTasksAllIsWork) {
  Schedule schedule(4);
  constexpr int64_t kTasks = 20;
  for (int64_t i = 0; i < kTasks; ++i) {
    PlannedTask task{.name = i % 2 == 0 ? "even" : "odd",
                     .worker = static_cast<WorkerId>(i % 4 + 1),
                     .submit_ns = i,
                     .begin_ns = 1000 + 100 * i,
                     .end_ns = 1000 + 100 * (i + 1)};
    if (i > 0) task.after = {static_cast<TaskId>(i)};
    schedule.add(task);
  }
  EXPECT_EQ(analyse(schedule, 3),
            (Labels{{ChainLabel::kWork, 100 * kTasks}, {ChainLabel::kScheduler, 1000}}));
  EXPECT_EQ(longest(), 100 * kTasks);
  ASSERT_EQ(analysis_.chain().work.size(), 2u);
  EXPECT_EQ(analysis_.chain().work[0].kind, "even");
  EXPECT_EQ(analysis_.chain().work[0].tasks, 10u);
  EXPECT_EQ(analysis_.chain().work[0].ns, 1000);
  EXPECT_EQ(tasks_on_chain().size(), static_cast<size_t>(kTasks));
}

TEST_F(ChainTest, ASaturatedRunWaitsForBusyWorkers) {
  Schedule schedule(2);
  for (int64_t i = 0; i < 10; ++i) {
    for (WorkerId worker = 1; worker <= 2; ++worker) {
      schedule.add({.worker = worker, .begin_ns = 100 * i, .end_ns = 100 * (i + 1)});
    }
  }
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 100}, {ChainLabel::kBusy, 900}}));
  EXPECT_EQ(longest(), 100);
}

TEST_F(ChainTest, ATaskThatWaitsWhileAnotherWorkerIsIdleIsPlacedWrongly) {
  Schedule schedule(2);
  schedule.add({.name = "first", .worker = 1, .begin_ns = 0, .end_ns = 1000});
  schedule.add({.name = "other", .worker = 2, .begin_ns = 0, .end_ns = 400});
  schedule.add({.name = "waits", .worker = 1, .submit_ns = 200, .begin_ns = 1000, .end_ns = 1500});
  EXPECT_EQ(analyse(schedule),
            (Labels{{ChainLabel::kWork, 200 + 500}, {ChainLabel::kPlacement, 800}}));
}

TEST_F(ChainTest, AWorkerOfAnotherKindIsNoChoice) {
  Schedule schedule(1);
  schedule.add_worker(WorkerKind::kCuda);
  constexpr uint32_t kCpu = 1, kCuda = 2;
  for (const uint32_t kinds : {0u, kCpu}) {
    Schedule copy = schedule;
    copy.add({.worker = 1, .begin_ns = 0, .end_ns = 1000});
    copy.add({.worker = 1, .begin_ns = 1000, .end_ns = 1500, .worker_kinds = kinds});
    analysis_ = ChainAnalysis();
    EXPECT_EQ(analyse(copy), (Labels{{ChainLabel::kWork, 500}, {ChainLabel::kBusy, 1000}}));
  }
  schedule.add({.worker = 1, .begin_ns = 0, .end_ns = 1000});
  schedule.add({.worker = 1, .begin_ns = 1000, .end_ns = 1500, .worker_kinds = kCpu | kCuda});
  analysis_ = ChainAnalysis();
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 500}, {ChainLabel::kPlacement, 1000}}));
}

TEST_F(ChainTest, TheProgramMayChooseABusyWorker) {
  Schedule schedule(2);
  schedule.add({.worker = 1, .begin_ns = 0, .end_ns = 1000});
  schedule.add({.worker = 1, .begin_ns = 1000, .end_ns = 1500, .flags = kTaskOnGivenWorker});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 500}, {ChainLabel::kBusy, 1000}}));
}

TEST_F(ChainTest, ALateSubmissionIsWaitedFor) {
  Schedule schedule(2);
  schedule.add({.worker = 1, .submit_ns = 100, .begin_ns = 110, .end_ns = 500});
  schedule.add(
      {.worker = 2, .submit_ns = 5000, .begin_ns = 5030, .end_ns = 5400, .ready_ns = 5010});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kSubmission, 4900 + 10},
                                       {ChainLabel::kScheduler, 20},
                                       {ChainLabel::kWork, 370}}));
}

TEST_F(ChainTest, CopiesAreWaitedFor) {
  Schedule schedule(1);
  const TaskId first = schedule.add({.begin_ns = 0, .end_ns = 100});
  schedule.add({.begin_ns = 190,
                .end_ns = 300,
                .after = {first},
                .ready_ns = 105,
                .taken_ns = 110,
                .fetch_ns = 120});
  EXPECT_EQ(
      analyse(schedule),
      (Labels{{ChainLabel::kScheduler, 20}, {ChainLabel::kData, 70}, {ChainLabel::kWork, 210}}));
}

TEST_F(ChainTest, AThrottledSubmissionIsNotSlow) {
  Schedule schedule(1);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 100});
  // Inside of a submission, and before the next one.
  schedule.add_wait(WaitKind::kThrottle, 20, 200);
  schedule.add({.submit_ns = 10, .begin_ns = 210, .end_ns = 300, .ready_ns = 205});
  schedule.add_wait(WaitKind::kThrottle, 230, 500);
  schedule.add({.submit_ns = 550, .begin_ns = 550, .end_ns = 600});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kSubmission, 20 + 30 + 50},
                                       {ChainLabel::kThrottled, 180 + 270},
                                       {ChainLabel::kWork, 50}}));
}

TEST_F(ChainTest, AWaitForAllTasksContinuesTheLastOfThem) {
  Schedule schedule(2);
  schedule.add({.name = "a", .worker = 1, .submit_ns = 0, .begin_ns = 10, .end_ns = 1000});
  schedule.add({.name = "b", .worker = 2, .submit_ns = 5, .begin_ns = 10, .end_ns = 700});
  schedule.add_wait(WaitKind::kTasks, 20, 1050);
  schedule.add({.name = "c", .worker = 2, .submit_ns = 1100, .begin_ns = 1120, .end_ns = 1500});
  EXPECT_EQ(analyse(schedule, 2), (Labels{{ChainLabel::kWork, 990 + 380},
                                          {ChainLabel::kScheduler, 10 + 20},
                                          {ChainLabel::kProgramWaits, 50},
                                          {ChainLabel::kSubmission, 50}}));
  EXPECT_EQ(tasks_on_chain(), (std::vector<TaskId>{1, 3}));
  EXPECT_EQ(longest(), 990) << "waits of the program are no dependencies";
}

TEST_F(ChainTest, TheLastWaitForAllTasksBelongsToTheRun) {
  Schedule schedule(1);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 1000});
  schedule.add_wait(WaitKind::kTasks, 20, 1050);
  EXPECT_EQ(analyse(schedule),
            (Labels{{ChainLabel::kWork, 1000}, {ChainLabel::kProgramWaits, 50}}));
}

TEST_F(ChainTest, AWaitWithoutATaskToWaitForIsTheProgramsOwn) {
  Schedule schedule(1);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 100});
  schedule.add_wait(WaitKind::kTag, 200, 700);
  schedule.add_wait(WaitKind::kMessage, 750, 800);
  schedule.add({.submit_ns = 900, .begin_ns = 900, .end_ns = 1000});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kSubmission, 200 + 50 + 100},
                                       {ChainLabel::kProgramWaits, 500},
                                       {ChainLabel::kNetwork, 50},
                                       {ChainLabel::kWork, 100}}));
}

TEST_F(ChainTest, OfAGroupTheLastMemberCounts) {
  Schedule schedule(4);
  std::vector<TaskId> readers;
  for (WorkerId worker = 1; worker <= 3; ++worker) {
    readers.push_back(schedule.add({.name = "reader",
                                    .worker = worker,
                                    .begin_ns = 0,
                                    .end_ns = 100 + 100 * int64_t{worker}}));
  }
  const size_t group = schedule.add_group(readers);
  schedule.add({.name = "writer",
                .worker = 4,
                .submit_ns = 10,
                .begin_ns = 410,
                .end_ns = 500,
                .after_groups = {group}});
  schedule.add({.name = "late",
                .worker = 4,
                .submit_ns = 450,
                .begin_ns = 500,
                .end_ns = 510,
                .after_groups = {group}});
  EXPECT_EQ(analyse(schedule, 2), (Labels{{ChainLabel::kWork, 400 + 40 + 10},
                                          {ChainLabel::kScheduler, 10},
                                          {ChainLabel::kPlacement, 50}}));
  EXPECT_EQ(tasks_on_chain(), (std::vector<TaskId>{3, 4, 5}));
  EXPECT_EQ(longest(), 400 + 90);
}

TEST_F(ChainTest, ATaskWithoutWorkPassesOnWhatItWaitedFor) {
  Schedule schedule(2);
  const TaskId a = schedule.add({.worker = 1, .begin_ns = 0, .end_ns = 300});
  const TaskId joint = schedule.add(
      {.worker = 0, .submit_ns = 1, .end_ns = 300, .after = {a}, .flags = kTaskWithoutWork});
  schedule.add({.worker = 2, .submit_ns = 2, .begin_ns = 300, .end_ns = 350, .after = {joint}});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 350}}));
  EXPECT_EQ(longest(), 350);
}

TEST_F(ChainTest, ATaskMaySubmitOthers) {
  Schedule schedule(2);
  const TaskId creator = schedule.add({.name = "creator", .begin_ns = 10, .end_ns = 1000});
  schedule.add({.name = "child",
                .worker = 2,
                .submit_ns = 600,
                .begin_ns = 600,
                .end_ns = 2000,
                .submitted_by = thread_of_worker(1)});
  EXPECT_EQ(analyse(schedule),
            (Labels{{ChainLabel::kScheduler, 10}, {ChainLabel::kWork, 590 + 1400}}));
  EXPECT_EQ(tasks_on_chain(), (std::vector<TaskId>{creator, 2}));
}

TEST_F(ChainTest, KernelsLaunchedEarlyRunOneAfterTheOther) {
  Schedule schedule(1, WorkerKind::kCuda);
  schedule.add({.begin_ns = 0, .end_ns = 100});
  schedule.add({.begin_ns = 20, .end_ns = 180});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 80}, {ChainLabel::kBusy, 100}}));
}

TEST_F(ChainTest, MissingRecordsTaintTheChain) {
  Schedule schedule(1);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 500'000'000});
  schedule.add({.submit_ns = 1'000'000'000,
                .begin_ns = 1'200'000'000,
                .end_ns = 1'400'000'000,
                .flags = kTaskUnsubmitted});
  analyse(schedule);
  EXPECT_EQ(analysis_.chain().taint,
            "The chain is not known before 1.200 s: the submission of a task is not recorded.");
}

TEST_F(ChainTest, ATaskWithoutBeginTaintsTheChain) {
  Schedule schedule(1);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 500'000'000});
  schedule.add({.submit_ns = 10, .end_ns = 1'400'000'000, .has_begin = false});
  EXPECT_EQ(analyse(schedule),
            (Labels{{ChainLabel::kWork, 500'000'000}, {ChainLabel::kUnknown, 900'000'000}}));
  EXPECT_EQ(analysis_.chain().taint,
            "The chain is not known before 1.400 s: the begin of a task is not recorded.");
}

TEST_F(ChainTest, WhatIsMissingElsewhereDoesNotTaintTheChain) {
  Schedule schedule(2);
  schedule.add({.submit_ns = 0, .begin_ns = 0, .end_ns = 500});
  schedule.add(
      {.worker = 2, .submit_ns = 10, .begin_ns = 20, .end_ns = 30, .flags = kTaskUnsubmitted});
  analyse(schedule);
  EXPECT_EQ(analysis_.chain().taint, "");
}

TEST_F(ChainTest, APredecessorThatIsNotKnownTaintsTheChain) {
  NameIds names;
  RowsBuilder rows(names);
  rows.add_sink(&analysis_);
  rows.add(WorkerRow{.id = 1, .thread = thread_of_worker(1), .runtime = Runtime::kStarpu});
  rows.add(TaskRow{.id = 7, .submitted_by = kMain, .runtime = Runtime::kStarpu});
  rows.add(StepRow{100, 7, 0, kMain, 0, 0, StepKind::kSubmitted});
  rows.add(StepRow{200, 7, 5, 0, 0, 0, StepKind::kReady});
  rows.add(StepRow{250, 7, 0, 0, 1, 1, StepKind::kBegin});
  rows.add(StepRow{300, 7, 0, 0, 1, 1, StepKind::kEnd});
  rows.flush(300);
  analysis_.finish(names);
  expect_sound(analysis_);
  EXPECT_EQ(analysis_.chain().taint,
            "The chain is not known before 0.000 s: a task waited for one that is not recorded.");
}

// OpenMP

/// A region of two threads, of which the second works longer, after a serial part.
TEST_F(ChainTest, AtABarrierTheLastToArriveIsWaitedFor) {
  Schedule schedule(2, WorkerKind::kOpenmpThread);
  const ThreadId first = thread_of_worker(1), second = thread_of_worker(2);
  schedule.add_region(1, 1000, 2020, 2, first, "parallel a");
  schedule.add_region(2, 2500, 3540, 2, first, "parallel b");
  schedule.add_wait(WaitKind::kBarrier, 1400, 2010, first, 1);
  schedule.add_wait(WaitKind::kBarrier, 2000, 2020, second, 1);
  schedule.add_wait(WaitKind::kBarrier, 3500, 3530, first, 2);
  schedule.add_wait(WaitKind::kBarrier, 3000, 3540, second, 2);
  schedule.set_states(1, {{0, State::kWork},
                          {1400, State::kBarrier},
                          {2010, State::kWork},
                          {3500, State::kBarrier},
                          {3530, State::kWork},
                          {4000, State::kIdle}});
  schedule.set_states(2, {{1005, State::kWork},
                          {2000, State::kBarrier},
                          {2020, State::kIdle},
                          {2510, State::kWork},
                          {3000, State::kBarrier},
                          {3540, State::kIdle}});
  // Begin of the first region 5, work 995, barrier 10, the opener's own 10; between the regions
  // 480; the opener's part of the second 1000, its barrier 30 and the rest of the region 10.
  EXPECT_EQ(analyse(schedule, 4), (Labels{{ChainLabel::kBarrier, 5 + 10 + 30},
                                          {ChainLabel::kWork, 995 + 10 + 1000 + 10},
                                          {ChainLabel::kSerial, 480}}));
  ASSERT_EQ(analysis_.chain().work.size(), 2u);
  EXPECT_EQ(analysis_.chain().work[0].kind, "parallel b");
  EXPECT_EQ(analysis_.chain().work[0].ns, 1010);
}

/// A thread that leaves a barrier late must not continue one that has come to the next.
TEST_F(ChainTest, BarriersOfARegionAreNotMixedUp) {
  Schedule schedule(2, WorkerKind::kOpenmpThread);
  const ThreadId first = thread_of_worker(1), second = thread_of_worker(2);
  schedule.add_region(1, 0, 1000, 2, first, "region");
  schedule.add_wait(WaitKind::kBarrier, 100, 200, first, 1);
  schedule.add_wait(WaitKind::kBarrier, 190, 260, second, 1);
  schedule.add_wait(WaitKind::kBarrier, 250, 910, first, 1);
  schedule.add_wait(WaitKind::kBarrier, 900, 920, second, 1);
  schedule.set_states(1, {{0, State::kWork},
                          {100, State::kBarrier},
                          {200, State::kWork},
                          {250, State::kBarrier},
                          {910, State::kWork},
                          {1000, State::kIdle}});
  schedule.set_states(2, {{10, State::kWork},
                          {190, State::kBarrier},
                          {260, State::kWork},
                          {900, State::kBarrier},
                          {920, State::kIdle}});
  EXPECT_EQ(analyse(schedule),
            (Labels{{ChainLabel::kBarrier, 10 + 70 + 10}, {ChainLabel::kWork, 180 + 640 + 90}}));
}

/// One thread creates, both execute: the last task ends on the other thread, inside the barrier.
TEST_F(ChainTest, TasksInABarrierAreWaitedFor) {
  Schedule schedule(2, WorkerKind::kOpenmpThread);
  const ThreadId first = thread_of_worker(1), second = thread_of_worker(2);
  const auto task = [&](WorkerId worker, int64_t submit_ns, int64_t begin_ns, int64_t end_ns) {
    return schedule.add({.name = "task",
                         .worker = worker,
                         .submit_ns = submit_ns,
                         .begin_ns = begin_ns,
                         .end_ns = end_ns,
                         .submitted_by = first,
                         .runtime = Runtime::kOpenmp});
  };
  const TaskId a = task(2, 100, 110, 600);
  const TaskId b = task(1, 200, 220, 400);
  const TaskId c = task(2, 205, 610, 900);
  schedule.add_region(1, 0, 1000, 2, first, "region");
  schedule.add_wait(WaitKind::kBarrier, 210, 950, first, 1);
  schedule.add_wait(WaitKind::kBarrier, 50, 960, second, 1);
  schedule.set_states(1, {{0, State::kWork},
                          {210, State::kBarrier},
                          {220, State::kWork, b},
                          {400, State::kBarrier},
                          {950, State::kWork},
                          {1000, State::kIdle}});
  schedule.set_states(2, {{10, State::kWork},
                          {50, State::kBarrier},
                          {110, State::kWork, a},
                          {600, State::kBarrier},
                          {610, State::kWork, c},
                          {900, State::kBarrier},
                          {960, State::kIdle}});
  // a was created at 100; c was ready at 205 and waited for a, while thread 1 was idle.
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 100 + 95 + 290 + 50},
                                       {ChainLabel::kPlacement, 395},
                                       {ChainLabel::kScheduler, 10 + 10},
                                       {ChainLabel::kBarrier, 50}}));
  EXPECT_EQ(longest(), 490);
  EXPECT_EQ(tasks_on_chain(), (std::vector<TaskId>{a, c}));
}

/// A task that waits for its child continues where the child ends, and both are one chain.
TEST_F(ChainTest, AtATaskwaitTheLastChildIsWaitedFor) {
  Schedule schedule(2, WorkerKind::kOpenmpThread);
  const ThreadId first = thread_of_worker(1), second = thread_of_worker(2);
  PlannedTask outer{.name = "outer",
                    .worker = 1,
                    .submit_ns = 10,
                    .begin_ns = 20,
                    .end_ns = 800,
                    .submitted_by = first,
                    .runtime = Runtime::kOpenmp};
  const TaskId parent = schedule.add(outer);
  PlannedTask inner{.name = "inner",
                    .worker = 2,
                    .submit_ns = 100,
                    .begin_ns = 130,
                    .end_ns = 600,
                    .submitted_by = first,
                    .parent = parent,
                    .runtime = Runtime::kOpenmp};
  const TaskId child = schedule.add(inner);
  schedule.add_region(1, 0, 900, 2, first, "region");
  schedule.add_wait(WaitKind::kTaskwait, 200, 620, first, parent);
  schedule.add_wait(WaitKind::kBarrier, 5, 850, second, 1);
  schedule.add_wait(WaitKind::kBarrier, 800, 840, first, 1);
  schedule.set_states(1, {{0, State::kWork},
                          {20, State::kWork, parent},
                          {200, State::kTaskwait},
                          {620, State::kWork, parent},
                          {800, State::kBarrier},
                          {840, State::kWork},
                          {900, State::kIdle}});
  schedule.set_states(2, {{2, State::kWork},
                          {5, State::kBarrier},
                          {130, State::kWork, child},
                          {600, State::kBarrier},
                          {850, State::kIdle}});
  EXPECT_EQ(analyse(schedule), (Labels{{ChainLabel::kWork, 10 + 80 + 470 + 180 + 60},
                                       {ChainLabel::kPlacement, 10},
                                       {ChainLabel::kScheduler, 30 + 20},
                                       {ChainLabel::kBarrier, 40}}));
  EXPECT_EQ(longest(), 80 + 470 + 180) << "until the creation, the child, after the wait";
}

// Random runs, against a walk back through all tasks

struct PlannedWait {
  WaitKind kind;
  int64_t begin_ns;
  int64_t end_ns;
};

struct RandomRun {
  std::vector<WorkerKind> workers;
  Schedule schedule{0};
  std::vector<std::vector<TaskId>> after;  // of tasks, groups resolved
  std::vector<PlannedWait> waits;
  int64_t end_ns = 0;

  RandomRun(uint64_t seed, size_t tasks) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](int64_t limit) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(limit + 1));
    };
    const auto count = static_cast<size_t>(1 + up_to(7));
    for (size_t i = 0; i < count; ++i) {
      workers.push_back(up_to(2) == 0 ? WorkerKind::kCuda : WorkerKind::kCpu);
      schedule.add_worker(workers.back());
    }
    // Programs that are slow, or fast, to submit; that have many, or few, dependencies.
    const int64_t gap = int64_t{1} << up_to(20);
    const int64_t distance = int64_t{1} << up_to(8);
    const bool has_waits = up_to(2) == 0;
    std::vector<int64_t> free_ns(count, 0);
    std::vector<size_t> groups;
    std::vector<std::vector<TaskId>> members;
    int64_t now_ns = 1000;
    for (size_t i = 0; i < tasks; ++i) {
      now_ns += 1 + up_to(gap);
      if (has_waits && up_to(50) == 0) {
        const int64_t begin_ns = now_ns;
        const bool is_for_all = up_to(1) == 0;
        now_ns = std::max(now_ns, is_for_all ? end_ns : 0) + 1 + up_to(100'000);
        waits.push_back({is_for_all ? WaitKind::kTasks : WaitKind::kThrottle, begin_ns, now_ns});
        schedule.add_wait(waits.back().kind, begin_ns, now_ns);
        now_ns += 1 + up_to(gap);
      }
      PlannedTask task;
      task.name = "kind " + std::to_string(up_to(4));
      task.submit_ns = now_ns;
      std::vector<TaskId> all;
      int64_t ready_ns = now_ns;
      for (int64_t edges = up_to(3); i > 0 && edges > 0; --edges) {
        const auto back = 1 + up_to(std::min(distance, static_cast<int64_t>(i)) - 1);
        task.after.push_back(i + 1 - static_cast<TaskId>(back));
      }
      all = task.after;
      if (i > 10 && up_to(9) == 0) {
        if (groups.empty() || up_to(1) == 0) {
          std::vector<TaskId> of = {i - 3, i - 1, i};
          groups.push_back(schedule.add_group(of));
          members.push_back(of);
        }
        task.after_groups = {groups.back()};
        all.insert(all.end(), members.back().begin(), members.back().end());
      }
      for (const TaskId from : all) ready_ns = std::max(ready_ns, schedule.task(from).end_ns);
      // Either the first free worker or any.
      size_t worker = static_cast<size_t>(up_to(static_cast<int64_t>(count) - 1));
      if (up_to(3) > 0) {
        worker = static_cast<size_t>(std::ranges::min_element(free_ns) - free_ns.begin());
      }
      task.worker = static_cast<WorkerId>(worker + 1);
      task.ready_ns = ready_ns + up_to(1000);
      task.taken_ns = std::max(task.ready_ns, free_ns[worker]) + up_to(1000);
      task.begin_ns = task.taken_ns + up_to(1000);
      if (up_to(3) == 0) {
        task.fetch_ns = task.begin_ns;
        task.begin_ns += 1 + up_to(20'000);
      }
      task.end_ns = task.begin_ns + 1 + up_to(1'000'000);
      if (up_to(1) == 0) task.worker_kinds = 3;
      if (up_to(9) == 0) task.flags |= kTaskOnGivenWorker;
      free_ns[worker] = task.end_ns;
      end_ns = std::max(end_ns, task.end_ns);
      schedule.add(task);
      after.push_back(std::move(all));
    }
    if (has_waits) {
      waits.push_back({WaitKind::kTasks, now_ns + 1, std::max(end_ns, now_ns + 1) + 10});
      schedule.add_wait(WaitKind::kTasks, waits.back().begin_ns, waits.back().end_ns);
    }
  }
};

/// The definition, word by word, with all of the run at hand.
class WalkBack {
 public:
  explicit WalkBack(const RandomRun& run) : run_(&run), on_worker_(run.workers.size() + 1) {
    for (TaskId id = 1; id <= run.schedule.tasks().size(); ++id) {
      on_worker_[task(id).worker].push_back(id);
      by_end_.push_back(id);
    }
    std::ranges::sort(by_end_, {}, [&](TaskId id) { return task(id).end_ns; });
    begin_ns_ = task(1).submit_ns;
    const bool ends_with_wait = !run.waits.empty() && run.waits.back().kind == WaitKind::kTasks;
    if (ends_with_wait && run.waits.back().begin_ns <= run.end_ns) {
      submissions(run.waits.back().end_ns);
    } else {
      next_ = by_end_.back();
    }
    while (next_ != 0) follow(std::exchange(next_, 0));
  }

  Labels labels;
  std::map<std::string, int64_t> kinds;

 private:
  const PlannedTask& task(TaskId id) const { return run_->schedule.task(id); }
  void add(ChainLabel label, int64_t from_ns, int64_t to_ns) {
    if (to_ns > from_ns) labels[label] += to_ns - from_ns;
  }

  bool was_idle(WorkerId worker, int64_t from_ns, int64_t to_ns) const {
    int64_t busy_ns = 0;
    for (const TaskId id : on_worker_[worker]) {
      const PlannedTask& other = task(id);
      busy_ns +=
          std::max<int64_t>(0, std::min(to_ns, other.end_ns) - std::max(from_ns, other.taken_ns));
    }
    return busy_ns < to_ns - from_ns;
  }

  void follow(TaskId id) {
    const PlannedTask& now = task(id);
    // Its execution, part of which another task may have waited for in vain.
    const int64_t waited_ns = std::clamp(waited_from_ns_, now.begin_ns, now.end_ns);
    add(ChainLabel::kWork, now.begin_ns, waited_ns);
    add(waited_label_, waited_ns, now.end_ns);
    const int64_t work_ns = waited_label_ == ChainLabel::kPlacement ? waited_ns : now.end_ns;
    if (work_ns > now.begin_ns) kinds[now.name] += work_ns - now.begin_ns;
    waited_from_ns_ = INT64_MAX;
    waited_label_ = ChainLabel::kWork;

    TaskId after = 0, previous = 0;
    for (const TaskId from : run_->after[id - 1]) {
      if (after == 0 || task(from).end_ns > task(after).end_ns) after = from;
    }
    for (const TaskId other : on_worker_[now.worker]) {
      if (task(other).end_ns <= now.begin_ns && other != id) previous = other;
    }
    const int64_t after_ns = after != 0 ? task(after).end_ns : -1;
    const int64_t previous_ns = previous != 0 ? task(previous).end_ns : -1;
    const int64_t cause_ns = std::max({after_ns, previous_ns, now.submit_ns});
    int64_t from_ns = cause_ns;
    const bool is_submission = cause_ns == now.submit_ns && after_ns != cause_ns;
    if (is_submission) {
      add(ChainLabel::kSubmission, from_ns, now.ready_ns);
      from_ns = now.ready_ns;
    }
    const bool has_fetch = now.fetch_ns != PlannedTask::kDefault;
    add(ChainLabel::kScheduler, from_ns, has_fetch ? now.fetch_ns : now.begin_ns);
    if (has_fetch) add(ChainLabel::kData, now.fetch_ns, now.begin_ns);
    if (after_ns == cause_ns) {
      next_ = after;
    } else if (is_submission) {
      submissions(now.submit_ns);
    } else {
      next_ = previous;
      waited_from_ns_ = now.ready_ns;
      waited_label_ = ChainLabel::kBusy;
      const int64_t span_ns = std::max(now.ready_ns, task(previous).begin_ns);
      for (WorkerId worker = 1; worker <= run_->workers.size(); ++worker) {
        const uint32_t kind = 1u << static_cast<uint32_t>(run_->workers[worker - 1]);
        const uint32_t own = 1u << static_cast<uint32_t>(run_->workers[now.worker - 1]);
        const uint32_t kinds_of = now.worker_kinds != 0 ? now.worker_kinds : own;
        if ((kinds_of & kind) == 0 || (now.flags & kTaskOnGivenWorker) != 0) continue;
        if (span_ns < previous_ns && was_idle(worker, span_ns, previous_ns)) {
          waited_label_ = ChainLabel::kPlacement;
        }
      }
    }
  }

  void submissions(int64_t at_ns) {
    for (size_t i = run_->waits.size(); i-- > 0;) {
      const PlannedWait& wait = run_->waits[i];
      if (wait.end_ns > at_ns) continue;
      add(ChainLabel::kSubmission, wait.end_ns, at_ns);
      at_ns = wait.begin_ns;
      if (wait.kind == WaitKind::kThrottle) {
        add(ChainLabel::kThrottled, wait.begin_ns, wait.end_ns);
        continue;
      }
      const auto later = std::ranges::upper_bound(by_end_, wait.end_ns, {},
                                                  [&](TaskId id) { return task(id).end_ns; });
      const TaskId last = later != by_end_.begin() ? *std::prev(later) : 0;
      const bool is_released = last != 0 && task(last).end_ns > wait.begin_ns;
      add(ChainLabel::kProgramWaits, is_released ? task(last).end_ns : wait.begin_ns, wait.end_ns);
      if (!is_released) continue;
      next_ = last;
      return;
    }
    add(ChainLabel::kSubmission, begin_ns_, at_ns);
  }

  const RandomRun* run_;
  std::vector<std::vector<TaskId>> on_worker_;
  std::vector<TaskId> by_end_;
  int64_t begin_ns_ = 0;
  TaskId next_ = 0;
  int64_t waited_from_ns_ = INT64_MAX;
  ChainLabel waited_label_ = ChainLabel::kWork;
};

TEST(ChainRandomTest, OnePassEqualsAWalkBack) {
#ifdef PERSEID_SANITIZED
  constexpr uint64_t kRuns = 20;
#else
  constexpr uint64_t kRuns = 150;
#endif
  std::map<ChainLabel, int64_t> seen;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomRun run(seed, seed % 10 == 0 ? 10'000 : 1 + seed * 7);
    ChainAnalysis analysis;
    run.schedule.feed(analysis, seed % 3 == 0 ? 7 : 4000);
    expect_sound(analysis);
    EXPECT_EQ(analysis.chain().taint, "");
    const WalkBack truth(run);
    EXPECT_EQ(labels_of(analysis.chain()), truth.labels);
    for (const auto& [label, ns] : truth.labels) seen[label] += ns;
    for (const KindTime& kind : analysis.chain().work) {
      const auto found = truth.kinds.find(kind.kind);
      EXPECT_EQ(kind.ns, found != truth.kinds.end() ? found->second : 0) << kind.kind;
    }
    std::vector<int64_t> spans;
    for (size_t i = 0; i < run.after.size(); ++i) {
      int64_t before = 0;
      for (const TaskId from : run.after[i]) before = std::max(before, spans[from - 1]);
      const PlannedTask& task = run.schedule.task(i + 1);
      spans.push_back(before + task.end_ns - task.begin_ns);
    }
    Bounds bounds;
    analysis.fill_in(bounds);
    EXPECT_EQ(bounds.chain_ns, *std::ranges::max_element(spans));
    if (testing::Test::HasFailure()) return;
  }
  for (const ChainLabel label : {ChainLabel::kWork, ChainLabel::kBusy, ChainLabel::kPlacement,
                                 ChainLabel::kData, ChainLabel::kScheduler, ChainLabel::kSubmission,
                                 ChainLabel::kThrottled, ChainLabel::kProgramWaits}) {
    EXPECT_GT(seen[label], 0) << "runs of this test have no label " << static_cast<int>(label);
  }
}

// Memory

#ifdef PERSEID_SANITIZED
constexpr TaskId kMany = 100'000;
#else
constexpr TaskId kMany = 1'000'000;
#endif

/// Writes the life of one task after the other, without keeping any.
class Stream {
 public:
  explicit Stream(ChainAnalysis& to, WorkerId workers) : rows_(names_) {
    rows_.add_sink(&to);
    for (WorkerId worker = 1; worker <= workers; ++worker) {
      rows_.add(WorkerRow{.id = worker, .thread = 100 + worker, .runtime = Runtime::kStarpu});
    }
  }
  void step(int64_t at_ns, NodeId task, StepKind kind, WorkerId worker = 0) {
    rows_.add(StepRow{at_ns, task, 0, worker == 0 ? kMain : 100 + worker, worker, 1, kind});
    rows_.end_record(at_ns);
  }
  void submit(int64_t at_ns, TaskId task, std::initializer_list<TaskId> after) {
    rows_.add(TaskRow{
        .id = task, .name = 1, .kind = 1, .submitted_by = kMain, .runtime = Runtime::kStarpu});
    for (const TaskId from : after) rows_.add(EdgeRow{from, task, 0, EdgeCause::kData});
    step(at_ns, task, StepKind::kSubmitted);
  }
  void finish(ChainAnalysis& to) {
    rows_.flush(0);
    to.finish(names_);
  }

 private:
  NameIds names_;
  RowsBuilder rows_;
};

TEST(ChainMemoryTest, AChainOfAMillionTasksIsShort) {
  ChainAnalysis analysis;
  Stream stream(analysis, 2);
  size_t most = 0;
  for (TaskId task = 1; task <= kMany; ++task) {
    const auto at_ns = static_cast<int64_t>(100 * task);
    const auto worker = static_cast<WorkerId>(1 + task % 2);
    if (task == 1) stream.submit(at_ns, task, {});
    if (task < kMany) stream.submit(at_ns, task + 1, {task});
    stream.step(at_ns, task, StepKind::kReady);
    stream.step(at_ns + 20, task, StepKind::kBegin, worker);
    stream.step(at_ns + 100, task, StepKind::kEnd, worker);
    stream.step(at_ns + 100, task, StepKind::kFinished, worker);
    stream.step(at_ns + 100, task, StepKind::kRetired);
    most = std::max(most, analysis.live_nodes());
  }
  stream.finish(analysis);
  expect_sound(analysis);
  EXPECT_LT(most, 40'000u);
  EXPECT_EQ(analysis.chain().ns[static_cast<size_t>(ChainLabel::kWork)],
            static_cast<int64_t>(80 * kMany));
  ASSERT_EQ(analysis.chain().work.size(), 1u);
  EXPECT_EQ(analysis.chain().work[0].tasks, kMany);
  EXPECT_EQ(analysis.chain().latest.size(), ChainAnalysis::kNewestSegments);
  Bounds bounds;
  analysis.fill_in(bounds);
  EXPECT_EQ(bounds.chain_ns, static_cast<int64_t>(80 * kMany));
}

/// Everything is submitted before the first task begins, and no node is absorbed until the end.
TEST(ChainMemoryTest, AMillionTasksSubmittedAheadDoNotOverflowTheStack) {
  ChainAnalysis analysis;
  Stream stream(analysis, 1);
  for (TaskId task = 1; task <= kMany; ++task) {
    if (task == 1) stream.submit(100, task, {});
    if (task > 1) stream.submit(100, task, {task - 1});
  }
  for (TaskId task = 1; task <= kMany; ++task) {
    const auto at_ns = static_cast<int64_t>(100 * task);
    stream.step(at_ns, task, StepKind::kReady);
    stream.step(at_ns, task, StepKind::kBegin, 1);
    stream.step(at_ns + 100, task, StepKind::kEnd, 1);
    stream.step(at_ns + 100, task, StepKind::kFinished, 1);
  }
  for (TaskId task = 1; task <= kMany; ++task) {
    stream.step(static_cast<int64_t>(100 * kMany + 100), task, StepKind::kRetired);
  }
  stream.finish(analysis);
  expect_sound(analysis);
  EXPECT_EQ(analysis.chain().ns[static_cast<size_t>(ChainLabel::kWork)],
            static_cast<int64_t>(100 * kMany));
}

TEST(ChainMemoryTest, AMillionTasksOfAStencilKeepFewNodes) {
  constexpr WorkerId kWorkers = 16;
  constexpr TaskId kWidth = 64;
  ChainAnalysis analysis;
  Stream stream(analysis, kWorkers);
  std::mt19937_64 random(1);
  int64_t now_ns = 0;
  size_t most = 0;
  const TaskId steps = kMany / kWidth;
  for (TaskId step = 0; step < steps; ++step) {
    const auto id = [&](TaskId at, TaskId cell) { return 1 + at * kWidth + cell; };
    for (TaskId cell = 0; cell < kWidth; ++cell) {
      if (step == 0) {
        stream.submit(now_ns, id(step, cell), {});
      } else {
        stream.submit(now_ns, id(step, cell),
                      {id(step - 1, cell > 0 ? cell - 1 : 0), id(step - 1, cell),
                       id(step - 1, std::min(cell + 1, kWidth - 1))});
      }
      stream.step(now_ns, id(step, cell), StepKind::kReady);
    }
    if (step > 0) {
      for (TaskId cell = 0; cell < kWidth; ++cell) {
        stream.step(now_ns, id(step - 1, cell), StepKind::kRetired);
      }
    }
    // Each worker has its cells, one after the other; all begin at once and end at any time.
    for (TaskId first = 0; first < kWidth; first += kWorkers) {
      for (WorkerId worker = 1; worker <= kWorkers; ++worker) {
        stream.step(now_ns, id(step, first + worker - 1), StepKind::kBegin, worker);
      }
      for (WorkerId i = 1; i <= kWorkers; ++i) {
        const auto worker = static_cast<WorkerId>(1 + (i * 7 + step) % kWorkers);
        now_ns += static_cast<int64_t>(1 + random() % 100);
        stream.step(now_ns, id(step, first + worker - 1), StepKind::kEnd, worker);
        stream.step(now_ns, id(step, first + worker - 1), StepKind::kFinished, worker);
      }
      most = std::max(most, analysis.live_nodes());
    }
  }
  stream.finish(analysis);
  expect_sound(analysis);
  EXPECT_LT(most, 40'000u);
}

}  // namespace
}  // namespace perseid::test
