// tests/unit/timeline/analysis/statistics_test.cpp: runs whose numbers are known.
#include "timeline/analysis/statistics.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/timeline/analysis/executed_run.h"
#include "timeline/model/tasks.h"
#include "timeline/model/worker_states.h"

namespace perseid {
namespace {

using test::Executed;
using test::ExecutedRun;

constexpr auto kCpu = static_cast<size_t>(WorkerKind::kCpu);
constexpr auto kCuda = static_cast<size_t>(WorkerKind::kCuda);

const KindStatistics& find(const Statistics& statistics, const std::string& kind) {
  static const KindStatistics none;
  for (const KindStatistics& known : statistics.kinds()) {
    if (known.kind == kind) return known;
  }
  ADD_FAILURE() << "no kind is called " << kind;
  return none;
}

TEST(AnalysisStatistics, OfNothingAreEmpty) {
  ExecutedRun schedule;
  schedule.add_workers(2);
  Statistics statistics;
  schedule.feed(statistics);
  EXPECT_TRUE(statistics.kinds().empty());
  EXPECT_TRUE(statistics.speeds().empty());
  EXPECT_EQ(statistics.time_ns(), 0);
}

/// Decoders may know of a worker before they know what it is.
TEST(AnalysisStatistics, TakeTheLatestKindOfAWorker) {
  NameIds names;
  RowsBuilder rows(names);
  Statistics statistics;
  rows.add_sink(&statistics);
  Tasks tasks(rows);
  WorkerStates states(rows);
  WorkerRow worker;
  worker.id = states.add(0);
  states.describe(worker);
  rows.flush(5);
  worker.kind = WorkerKind::kOpencl;
  states.describe(worker);
  const Tasks::Ref task = tasks.submit({}, 10);
  tasks.settle(task, 10, 1, false);
  states.set(1, WorkerState::kWork, 20, tasks.id(task));
  tasks.begin(task, 20, 1, 1);
  states.set(1, WorkerState::kIdle, 50);
  tasks.end(task, 50, 1, 1);
  tasks.finish(task, 50, 1);
  rows.flush(60);
  statistics.finish(names);
  EXPECT_EQ(statistics.workers(WorkerKind::kCpu).workers, 0u);
  EXPECT_EQ(statistics.workers(WorkerKind::kOpencl).workers, 1u);
  EXPECT_EQ(statistics.workers(WorkerKind::kOpencl).busy_ns, 30);
  EXPECT_EQ(statistics.time_ns(), 40);
  EXPECT_EQ(statistics.kinds().at(0).on[static_cast<size_t>(WorkerKind::kOpencl)].total_ns, 30);
}

TEST(AnalysisStatistics, DoNotCountAThrottledSubmissionAsAWaitForDependencies) {
  NameIds names;
  RowsBuilder rows(names);
  Statistics statistics;
  rows.add_sink(&statistics);
  Tasks tasks(rows);
  WorkerStates states(rows);
  states.add(0);
  TaskRow row;
  row.runtime = Runtime::kStarpu;
  row.submitted_by = 7;
  const Tasks::Ref task = tasks.submit(row, 10);
  WaitRow wait;
  wait.begin_ns = 15;
  wait.end_ns = kNotYet;
  wait.thread = 7;
  wait.kind = WaitKind::kThrottle;
  rows.add(wait);
  wait.end_ns = 95;
  rows.add(wait);
  tasks.settle(task, 100, 7, false);
  states.set(1, WorkerState::kWork, 120, tasks.id(task));
  tasks.begin(task, 120, 1, 1);
  states.set(1, WorkerState::kIdle, 150);
  tasks.end(task, 150, 1, 1);
  tasks.finish(task, 150, 1);
  rows.flush(160);
  statistics.finish(names);
  EXPECT_EQ(statistics.kinds().at(0).wait_dependencies_ns, 5);
  EXPECT_EQ(statistics.kinds().at(0).wait_queue_ns, 20);
}

/// Of a run only what lies in its windows counts, and nothing of a phase that is left out.
TEST(AnalysisStatistics, CountWhatLiesInTheirWindows) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  for (int64_t i = 0; i < 10; ++i) schedule.add({"a", 1, 100 * i, 100 * i + 60, 100 * i});
  Statistics statistics({{50, 250}, {400, 560}});
  schedule.feed(statistics, 4);
  EXPECT_EQ(statistics.executions(), 3u);  // from 100, 400 and 500 on
  EXPECT_EQ(statistics.time_ns(), 200 + 160);
  EXPECT_EQ(statistics.workers(WorkerKind::kCpu).busy_ns, 10 + 60 + 50 + 60 + 60);
}

TEST(AnalysisStatistics, LeaveOutPhases) {
  NameIds names;
  RowsBuilder rows(names);
  Statistics statistics;
  statistics.leave_out([](std::string_view phase) { return phase == "warm-up"; });
  rows.add_sink(&statistics);
  Tasks tasks(rows);
  WorkerStates states(rows);
  WorkerRow worker;
  worker.id = states.add(0);
  states.describe(worker);
  const auto phase = [&](int64_t begin_ns, int64_t end_ns) {
    RegionRow row;
    row.begin_ns = begin_ns;
    row.end_ns = end_ns;
    row.name = names.of("warm-up");
    row.kind = RegionKind::kPhase;
    rows.add(row);
  };
  const auto run = [&](int64_t begin_ns, int64_t end_ns) {
    const Tasks::Ref task = tasks.submit({}, begin_ns);
    tasks.settle(task, begin_ns, 1, false);
    states.set(1, WorkerState::kWork, begin_ns, tasks.id(task));
    tasks.begin(task, begin_ns, 1, 1);
    states.set(1, WorkerState::kIdle, end_ns);
    tasks.end(task, end_ns, 1, 1);
    tasks.finish(task, end_ns, 1);
  };
  phase(5, kNotYet);
  run(10, 20);
  phase(5, 30);
  run(40, 47);
  phase(60, kNotYet);
  run(61, 65);
  phase(60, 70);
  run(80, 90);
  rows.flush(100);
  statistics.finish(names);
  EXPECT_EQ(statistics.executions(), 2u);
  EXPECT_EQ(statistics.kinds().at(0).total_ns, 17);
  EXPECT_EQ(statistics.time_ns(), 60 + 20 - 30);
}

TEST(AnalysisStatistics, HaveTimesByKindAndKindOfWorker) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  const WorkerId cuda = schedule.add_worker(WorkerKind::kCuda);
  for (int64_t i = 0; i < 100; ++i) {
    schedule.add({"gemm", 1, 1000 * i, 1000 * i + 100 + i % 10});
    schedule.add({"gemm", cuda, 1000 * i, 1000 * i + 10});
    schedule.add({"potrf", cuda, 1000 * i + 500, 1000 * i + 550});
  }
  Statistics statistics;
  schedule.feed(statistics, 7);
  EXPECT_EQ(statistics.executions(), 300u);
  EXPECT_EQ(statistics.time_ns(), 99'550);
  ASSERT_EQ(statistics.kinds().size(), 2u);
  EXPECT_EQ(statistics.kinds()[0].kind, "gemm");
  const KindStatistics& gemm = statistics.kinds()[0];
  EXPECT_EQ(gemm.tasks, 200u);
  EXPECT_EQ(gemm.total_ns, 100 * 100 + 450 + 1000);
  EXPECT_EQ(gemm.on[kCpu].tasks, 100u);
  EXPECT_EQ(gemm.on[kCpu].median_ns, 104);
  EXPECT_EQ(gemm.on[kCpu].p95_ns, 109);
  EXPECT_EQ(gemm.on[kCpu].p99_ns, 109);
  EXPECT_EQ(gemm.on[kCpu].max_ns, 109);
  EXPECT_EQ(gemm.on[kCpu].outliers, 0u);
  EXPECT_EQ(gemm.on[kCuda].tasks, 100u);
  EXPECT_EQ(gemm.on[kCuda].median_ns, 10);
  EXPECT_EQ(gemm.on[kCuda].total_ns, 1000);
  const KindStatistics& potrf = statistics.kinds()[1];
  EXPECT_EQ(potrf.on[kCpu].tasks, 0u);
  EXPECT_EQ(potrf.on[kCuda].total_ns, 5000);
  EXPECT_EQ(statistics.workers(WorkerKind::kCuda).busy_ns, 6000);
}

TEST(AnalysisStatistics, AddUpWaitsAndOverhead) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  schedule.set_completion(5);
  // Submitted, ready after 100, taken after 30 more, begins 20 later.
  for (int64_t i = 0; i < 10; ++i) {
    Executed task{"a", 1, 1000 * i + 150, 1000 * i + 400};
    task.submitted_ns = 1000 * i;
    task.ready_ns = task.submitted_ns + 100;
    task.taken_ns = task.ready_ns + 30;
    schedule.add(task);
  }
  // Of another one nobody recorded when it was taken.
  Executed other{"b", 1, 10'500, 10'600};
  other.submitted_ns = 10'000;
  other.ready_ns = 10'200;
  schedule.add(other);
  for (const int64_t windows : {1, 3, 50}) {
    Statistics statistics;
    schedule.feed(statistics, windows);
    const KindStatistics& a = find(statistics, "a");
    EXPECT_EQ(a.wait_dependencies_ns, 10 * 100);
    EXPECT_EQ(a.wait_queue_ns, 10 * 30);
    EXPECT_EQ(a.on[kCpu].overhead_ns, 10 * (20 + 5));
    const KindStatistics& b = find(statistics, "b");
    EXPECT_EQ(b.wait_dependencies_ns, 200);
    EXPECT_EQ(b.wait_queue_ns, 300);
    EXPECT_EQ(b.on[kCpu].overhead_ns, 5);
  }
}

TEST(AnalysisStatistics, CompareOnlyEqualTasksWhenTheyLookForOutliers) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  int64_t now = 0;
  const auto run = [&](uint64_t footprint, int64_t ns) {
    Executed task{"gemm", 1, now, now + ns};
    task.footprint = footprint;
    schedule.add(task);
    now += ns;
  };
  for (int i = 0; i < 100; ++i) run(1, 1000 + i % 5);
  for (int i = 0; i < 10; ++i) run(2, 1'000'000);
  Statistics sound;
  schedule.feed(sound);
  EXPECT_EQ(find(sound, "gemm").on[kCpu].outliers, 0u);
  EXPECT_EQ(sound.classes().size(), 2u);

  for (int i = 0; i < 4; ++i) run(1, 50'000);
  Statistics statistics;
  schedule.feed(statistics);
  const KindOnWorkers& gemm = find(statistics, "gemm").on[kCpu];
  EXPECT_EQ(gemm.outliers, 4u);
  EXPECT_NEAR(static_cast<double>(gemm.outlier_excess_ns), 4 * 49'000, 4 * 49'000 * 0.01);
  EXPECT_EQ(gemm.max_ns, 1'000'000);
}

TEST(AnalysisStatistics, KnowTheErrorOfThePerformanceModel) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  const auto run = [&](int64_t begin_ns, double predicted_ns) {
    Executed task{"a", 1, begin_ns, begin_ns + 100};
    task.predicted_ns = predicted_ns;
    schedule.add(task);
  };
  run(0, 150);
  run(100, 90);
  run(200, 0);
  Executed unknown{"b", 1, 300, 400};
  schedule.add(unknown);
  Statistics statistics;
  schedule.feed(statistics);
  EXPECT_EQ(find(statistics, "a").predicted_tasks, 2u);
  EXPECT_EQ(find(statistics, "a").model_error_permille, 300);
  EXPECT_EQ(find(statistics, "a").model_bias_permille, 200);
  EXPECT_EQ(find(statistics, "b").model_error_permille, -1);
}

TEST(AnalysisStatistics, FindTheSlowWorker) {
  ExecutedRun schedule;
  schedule.add_workers(4);
  std::mt19937 random(1);
  std::vector<int64_t> now(5, 0);
  // Different kinds of tasks everywhere, so that only classes can be compared.
  for (int i = 0; i < 8000; ++i) {
    const auto worker = static_cast<WorkerId>(1 + random() % 4);
    const auto footprint = 1 + (worker == 3 ? random() % 4 : random() % 3);
    const int64_t ns = static_cast<int64_t>(10'000 * footprint * (worker == 2 ? 13 : 10) / 10) +
                       static_cast<int64_t>(random() % 200);
    Executed task{"gemm", worker, now[worker], now[worker] + ns};
    task.footprint = footprint;
    schedule.add(task);
    now[worker] += ns;
  }
  Statistics statistics;
  schedule.feed(statistics, 20);
  ASSERT_EQ(statistics.speeds().size(), 4u);
  for (const WorkerSpeed& speed : statistics.speeds()) {
    EXPECT_EQ(speed.classes, 3u);  // the fourth has no peers
    EXPECT_GT(speed.tasks, 1000u);
    const double expected = speed.worker == 2 ? 1300 : 1000;
    EXPECT_NEAR(static_cast<double>(speed.time_permille), expected, expected * 0.02)
        << speed.worker;
  }
}

TEST(AnalysisStatistics, SeeThatTasksTakeLongerTogether) {
  ExecutedRun schedule;
  schedule.add_workers(4);
  int64_t now = 0;
  for (int i = 0; i < 50; ++i) {
    for (WorkerId worker = 1; worker <= 4; ++worker) {
      schedule.add({"a", worker, now, now + 1500});
      schedule.add({"b", worker, now + 2000, now + 2700});
    }
    schedule.add({"a", 1, now + 4000, now + 5000});
    schedule.add({"b", 1, now + 6000, now + 6700});
    now += 10'000;
  }
  Statistics statistics;
  schedule.feed(statistics, 30);
  EXPECT_EQ(find(statistics, "a").on[kCpu].contention_permille, 1500);
  EXPECT_EQ(find(statistics, "b").on[kCpu].contention_permille, 1000);
  const auto* alone = &statistics.classes()[0];
  EXPECT_EQ(alone->crowded.tasks, 200u);
  EXPECT_EQ(alone->alone.tasks, 50u);
}

TEST(AnalysisStatistics, DoNotGrowWithFootprintsThatNeverComeBack) {
  ExecutedRun schedule;
  schedule.add_workers(2);
  int64_t now = 0;
  for (uint64_t i = 0; i < 3 * Statistics::kMaxClasses; ++i) {
    Executed task{i % 2 == 0 ? "a" : "b", static_cast<WorkerId>(1 + i % 2), now, now + 100};
    task.footprint = i + 1;
    schedule.add(task);
    now += 100;
  }
  Statistics statistics;
  schedule.feed(statistics, 5);
  EXPECT_LE(statistics.classes().size(), Statistics::kMaxClasses + 2);
  EXPECT_EQ(find(statistics, "a").tasks, 3 * Statistics::kMaxClasses / 2);
  EXPECT_EQ(find(statistics, "b").total_ns,
            100 * 3 * static_cast<int64_t>(Statistics::kMaxClasses) / 2);
  size_t rest = 0;
  for (const TaskClass& known : statistics.classes()) rest += known.is_rest ? 1 : 0;
  EXPECT_EQ(rest, 2u);
}

TEST(AnalysisStatistics, DoNotGrowWithKindsOfOneTask) {
  ExecutedRun schedule;
  schedule.add_workers(1);
  const size_t tasks = 2 * Statistics::kMaxKinds;
  for (size_t i = 0; i < tasks; ++i) {
    const auto begin_ns = static_cast<int64_t>(100 * i);
    schedule.add({"kind " + std::to_string(i), 1, begin_ns, begin_ns + 10});
  }
  Statistics statistics;
  schedule.feed(statistics, 5);
  EXPECT_EQ(statistics.kinds().size(), Statistics::kMaxKinds);
  EXPECT_EQ(find(statistics, "(others)").tasks, tasks - Statistics::kMaxKinds + 1);
}

TEST(AnalysisStatistics, AreTheSameInAnyWindows) {
  std::mt19937 random(5);
  ExecutedRun schedule;
  schedule.add_workers(3);
  schedule.add_workers(2, WorkerKind::kCuda);
  schedule.set_completion(3);
  std::vector<int64_t> now(6, 100);
  for (int i = 0; i < 2000; ++i) {
    const auto worker = static_cast<WorkerId>(1 + random() % 5);
    Executed task{"k" + std::to_string(random() % 3), worker, 0, 0};
    task.taken_ns = now[worker] + static_cast<int64_t>(random() % 50);
    task.ready_ns = task.taken_ns - static_cast<int64_t>(random() % 40);
    task.submitted_ns = task.ready_ns - static_cast<int64_t>(random() % 20);
    task.begin_ns = task.taken_ns + static_cast<int64_t>(random() % 20);
    task.end_ns = task.begin_ns + 1 + static_cast<int64_t>(random() % 300);
    task.footprint = random() % 3;
    now[worker] = task.end_ns + 3;
    schedule.add(task);
  }
  Statistics whole;
  schedule.feed(whole);
  for (const int64_t windows : {2, 17, 500}) {
    Statistics parts;
    schedule.feed(parts, windows);
    ASSERT_EQ(parts.kinds().size(), whole.kinds().size());
    for (const KindStatistics& expected : whole.kinds()) {
      const KindStatistics& found = find(parts, expected.kind);
      EXPECT_EQ(found.total_ns, expected.total_ns);
      EXPECT_EQ(found.wait_dependencies_ns, expected.wait_dependencies_ns);
      EXPECT_EQ(found.wait_queue_ns, expected.wait_queue_ns);
      for (size_t on = 0; on < kWorkerKinds; ++on) {
        EXPECT_EQ(found.on[on].median_ns, expected.on[on].median_ns);
        EXPECT_EQ(found.on[on].overhead_ns, expected.on[on].overhead_ns);
        EXPECT_EQ(found.on[on].contention_permille, expected.on[on].contention_permille);
      }
    }
  }
}

/// Threads of OpenMP: what a task does itself, without the tasks that run while it waits.
TEST(AnalysisStatistics, OfThreadsCountEachNanosecondOnce) {
  NameIds names;
  RowsBuilder rows(names);
  Statistics statistics;
  rows.add_sink(&statistics);
  Tasks tasks(rows);
  WorkerStates states(rows);
  WorkerRow worker;
  worker.id = states.add(0);
  worker.kind = WorkerKind::kOpenmpThread;
  worker.runtime = Runtime::kOpenmp;
  states.describe(worker);
  const auto submit = [&](const char* kind, int64_t at_ns) {
    TaskRow row;
    row.kind = names.of(kind);
    row.runtime = Runtime::kOpenmp;
    const Tasks::Ref task = tasks.submit(row, at_ns);
    tasks.settle(task, at_ns, 1, false);
    return task;
  };
  const Tasks::Ref outer = submit("outer", 10);
  states.set(1, WorkerState::kWork, 20, tasks.id(outer));
  tasks.begin(outer, 20, 1, 1);
  const Tasks::Ref inner = submit("inner", 30);
  states.set(1, WorkerState::kTaskwait, 50, tasks.id(outer));
  states.set(1, WorkerState::kWork, 60, tasks.id(inner));
  tasks.begin(inner, 60, 1, 1);
  states.set(1, WorkerState::kTaskwait, 100, tasks.id(outer));
  tasks.end(inner, 100, 1, 1);
  tasks.finish(inner, 100, 1);
  states.set(1, WorkerState::kWork, 105, tasks.id(outer));
  states.set(1, WorkerState::kIdle, 120);
  tasks.end(outer, 120, 1, 1);
  tasks.finish(outer, 120, 1);
  states.finish(130);
  rows.flush(130);
  statistics.finish(names);
  EXPECT_EQ(find(statistics, "outer").total_ns, 30 + 15);
  EXPECT_EQ(find(statistics, "inner").total_ns, 40);
  EXPECT_EQ(find(statistics, "inner").wait_queue_ns, 30);
  EXPECT_EQ(statistics.workers(WorkerKind::kOpenmpThread).busy_ns, 85);
  EXPECT_EQ(statistics.workers(WorkerKind::kOpenmpThread).workers, 1u);
}

}  // namespace
}  // namespace perseid
