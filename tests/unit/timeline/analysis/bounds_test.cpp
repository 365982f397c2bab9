// tests/unit/timeline/analysis/bounds_test.cpp: known bounds, and that no run is below its bounds.
#include "timeline/analysis/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/timeline/analysis/executed_run.h"
#include "timeline/analysis/simplex.h"

namespace perseid {
namespace {

using test::Executed;
using test::ExecutedRun;

constexpr auto kCpu = static_cast<size_t>(WorkerKind::kCpu);
constexpr auto kCuda = static_cast<size_t>(WorkerKind::kCuda);
constexpr auto kOpencl = static_cast<size_t>(WorkerKind::kOpencl);

Bounds bounds_of(ExecutedRun& schedule, std::vector<KindStatistics>* kinds = nullptr,
                 std::vector<TimeWindow> windows = {}) {
  Statistics statistics(std::move(windows));
  schedule.feed(statistics, 3);
  std::vector<KindStatistics> found = statistics.kinds();
  Bounds bounds;
  add_bounds(statistics, bounds, found);
  if (kinds != nullptr) *kinds = found;
  return bounds;
}

TEST(AnalysisBounds, OfEqualWorkersAreTheirShareOfTheWork) {
  ExecutedRun schedule;
  schedule.add_workers(4);
  schedule.add({"a", 1, 0, 1001});
  schedule.add({"a", 2, 0, 500});
  schedule.add({"b", 2, 600, 702});
  const Bounds bounds = bounds_of(schedule);
  EXPECT_EQ(bounds.area_ns, (1001 + 500 + 102) / 4);
  EXPECT_EQ(bounds.submission_ns, 500);
  EXPECT_EQ(bounds.best_ns, 500);
}

TEST(AnalysisBounds, OfNothingAreNotKnown) {
  ExecutedRun schedule;
  schedule.add_workers(2);
  EXPECT_EQ(bounds_of(schedule).best_ns, 0);
}

TEST(AnalysisBounds, LeaveTasksWhereTheyRanIfTheyRanNowhereElse) {
  ExecutedRun schedule;
  schedule.add_workers(2);
  schedule.add_workers(1, WorkerKind::kCuda);
  schedule.add({"a", 1, 0, 3001});
  schedule.add({"b", 3, 0, 1000});
  EXPECT_EQ(bounds_of(schedule).area_ns, 1500);
}

TEST(AnalysisBounds, MoveTasksToWhereTheyGainMost) {
  // gemm: 10 on a CPU, 1 on the device; potrf: 10 and 5. Ten of each. At best the device has all of
  // gemm and x of potrf: 10 + 5 x = 10 (10 - x) -> x = 6, T = 40.
  ExecutedRun schedule;
  schedule.add_worker();
  const WorkerId cuda = schedule.add_worker(WorkerKind::kCuda);
  int64_t cpu_ns = 0, cuda_ns = 0;
  const auto run = [&](const char* kind, bool is_cuda, int64_t ns) {
    int64_t& now = is_cuda ? cuda_ns : cpu_ns;
    schedule.add({kind, is_cuda ? cuda : 1, now, now + ns});
    now += ns;
  };
  for (int i = 0; i < 5; ++i) {
    run("gemm", false, 1'000'000);
    run("gemm", true, 100'000);
    run("potrf", false, 1'000'000);
    run("potrf", true, 500'000);
  }
  std::vector<KindStatistics> kinds;
  const Bounds bounds = bounds_of(schedule, &kinds);
  EXPECT_NEAR(static_cast<double>(bounds.area_ns), 4'000'000, 1);
  EXPECT_LE(bounds.area_ns, 4'000'000);
  for (const KindStatistics& kind : kinds) {
    EXPECT_EQ(kind.on[kCpu].area_tasks, kind.kind == "gemm" ? 0 : 4) << kind.kind;
    EXPECT_EQ(kind.on[kCuda].area_tasks, kind.kind == "gemm" ? 10 : 6) << kind.kind;
  }
}

/// Two kinds of workers: classes in order of their ratio, until both sides are equal.
double closed_form(const std::vector<AreaClass>& classes, double cpus, double devices) {
  struct Item {
    double cpu, device;
  };
  std::vector<Item> items;
  double cpu = 0, device = 0;
  for (const AreaClass& of : classes) {
    const auto count = static_cast<double>(of.tasks[kCpu] + of.tasks[kCuda]);
    items.push_back({count * static_cast<double>(of.total_ns[kCpu]) /
                         static_cast<double>(of.tasks[kCpu]) / cpus,
                     count * static_cast<double>(of.total_ns[kCuda]) /
                         static_cast<double>(of.tasks[kCuda]) / devices});
    cpu += items.back().cpu;
  }
  std::ranges::sort(items, std::greater{}, [](const Item& item) { return item.cpu / item.device; });
  for (const Item& item : items) {
    if (device + item.device >= cpu - item.cpu) {
      const double share = (cpu - device) / (item.cpu + item.device);
      return device + share * item.device;
    }
    cpu -= item.cpu;
    device += item.device;
  }
  return device;
}

std::vector<AreaClass> random_classes(std::mt19937_64& random, size_t count,
                                      const std::vector<size_t>& kinds, bool has_gaps) {
  std::vector<AreaClass> classes(count);
  for (AreaClass& of : classes) {
    for (const size_t on : kinds) {
      if (has_gaps && random() % 3 == 0) continue;
      of.tasks[on] = 1 + random() % 1000;
      of.total_ns[on] = static_cast<int64_t>(of.tasks[on] * (1000 + random() % 100'000'000));
    }
  }
  return classes;
}

TEST(AnalysisBounds, HaveAClosedFormForTwoKindsOfWorkers) {
  std::mt19937_64 random(1);
  for (const size_t count : {1u, 2u, 3u, 10u, 60u}) {
    for (int i = 0; i < 20; ++i) {
      const auto classes = random_classes(random, count, {kCpu, kCuda}, false);
      const auto cpus = static_cast<uint32_t>(1 + random() % 30);
      const auto devices = static_cast<uint32_t>(1 + random() % 4);
      const AreaBound bound = area_bound(classes, {cpus, devices}, {});
      const double expected = closed_form(classes, cpus, devices);
      ASSERT_NEAR(static_cast<double>(bound.ns), expected, 1 + expected * 1e-9);
    }
  }
}

TEST(AnalysisBounds, OfManyClassesAreStillRight) {
  std::mt19937_64 random(2);
  const auto classes = random_classes(random, 3000, {kCpu, kCuda}, false);
  const AreaBound bound = area_bound(classes, {12, 2}, {});
  const double expected = closed_form(classes, 12, 2);
  EXPECT_LE(static_cast<double>(bound.ns), expected * (1 + 1e-9));
  EXPECT_GE(static_cast<double>(bound.ns), expected * 0.998);
}

/// All that is said of the answer: tasks are all there, where they can be, and no kind of workers
/// needs longer.
TEST(AnalysisBounds, CanBeReachedByTheirTasks) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    const auto classes = random_classes(random, 1 + random() % 40, {kCpu, kCuda, kOpencl}, true);
    const ByWorkerKind<uint32_t> workers = {static_cast<uint32_t>(1 + random() % 9), 2, 1};
    const AreaBound bound = area_bound(classes, workers, {});
    ByWorkerKind<double> load{};
    double happened = 0;
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      double load_ns = 0;
      for (const AreaClass& of : classes) load_ns += static_cast<double>(of.total_ns[on]);
      if (workers[on] > 0) happened = std::max(happened, load_ns / workers[on]);
    }
    ASSERT_LE(static_cast<double>(bound.ns), happened);
    for (size_t k = 0; k < classes.size(); ++k) {
      double tasks = 0, expected = 0;
      for (size_t on = 0; on < kWorkerKinds; ++on) {
        tasks += bound.tasks[k][on];
        expected += static_cast<double>(classes[k].tasks[on]);
        ASSERT_GE(bound.tasks[k][on], 0);
        if (classes[k].tasks[on] == 0) {
          ASSERT_EQ(bound.tasks[k][on], 0);
          continue;
        }
        load[on] += bound.tasks[k][on] * static_cast<double>(classes[k].total_ns[on]) /
                    static_cast<double>(classes[k].tasks[on]);
      }
      ASSERT_NEAR(tasks, expected, 1e-6 * expected);
    }
    double needed = 0;
    for (size_t on = 0; on < kWorkerKinds; ++on) {
      if (workers[on] > 0) needed = std::max(needed, load[on] / workers[on]);
    }
    ASSERT_NEAR(needed, static_cast<double>(bound.ns), 1 + 1e-7 * needed);
  }
}

/// Whatever was run, in whatever way, took no less time than its bounds.
TEST(AnalysisBounds, AreNeverAboveTheRun) {
  std::mt19937 random(4);
  for (int i = 0; i < 300; ++i) {
    ExecutedRun schedule;
    const size_t cpus = 1 + random() % 4;
    const size_t devices = random() % 3;
    schedule.add_workers(cpus);
    schedule.add_workers(devices, WorkerKind::kCuda);
    const bool is_tight = random() % 2 == 0;
    std::vector<int64_t> now(cpus + devices + 1, 0);
    const int kinds = 1 + static_cast<int>(random() % 4);
    for (size_t task = 0; task < 1 + random() % 300; ++task) {
      const auto worker = static_cast<WorkerId>(1 + random() % (cpus + devices));
      const int64_t gap_ns = is_tight ? 0 : static_cast<int64_t>(random() % 100);
      Executed executed{"k" + std::to_string(random() % static_cast<unsigned>(kinds)), worker};
      executed.begin_ns = now[worker] + gap_ns;
      executed.end_ns = executed.begin_ns + 1 + static_cast<int64_t>(random() % 1000);
      executed.submitted_ns = is_tight ? 0 : std::max<int64_t>(executed.begin_ns - 10, 0);
      executed.ready_ns = executed.submitted_ns;
      executed.footprint = random() % 2;
      // A device may begin an execution before the one before it has ended.
      const bool overlaps = worker > cpus && random() % 3 == 0;
      now[worker] = overlaps ? executed.begin_ns + 1 : executed.end_ns;
      schedule.add(executed);
    }
    const Bounds bounds = bounds_of(schedule);
    ASSERT_GT(bounds.area_ns + bounds.submission_ns, 0);
    ASSERT_LE(bounds.best_ns, schedule.end_ns()) << "run " << i;
    if (devices == 0) {
      int64_t work_ns = 0;
      for (const Executed& executed : schedule.executions()) {
        work_ns += executed.end_ns - executed.begin_ns;
      }
      ASSERT_EQ(bounds.area_ns, work_ns / static_cast<int64_t>(cpus));
    }
    // A part of the run does not take longer than the part.
    const TimeWindow window = {schedule.end_ns() / 4, schedule.end_ns() / 2};
    ASSERT_LE(bounds_of(schedule, nullptr, {window}).best_ns, window.end_ns - window.begin_ns);
  }
}

TEST(AnalysisBounds, TwiceTheTimeIsTwiceTheBound) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 50; ++i) {
    auto classes = random_classes(random, 20, {kCpu, kCuda, kOpencl}, true);
    const AreaBound once = area_bound(classes, {3, 2, 1}, {});
    for (AreaClass& of : classes) {
      for (int64_t& ns : of.total_ns) ns *= 2;
    }
    const AreaBound twice = area_bound(classes, {3, 2, 1}, {});
    EXPECT_NEAR(static_cast<double>(twice.ns), 2 * static_cast<double>(once.ns),
                4 + 1e-9 * static_cast<double>(twice.ns));
  }
}

TEST(AnalysisBounds, OfSubmissionAreItsLastTaskAtItsBest) {
  ExecutedRun schedule;
  schedule.add_workers(2);
  schedule.add({"a", 1, 100, 150, 100, 100});
  schedule.add({"a", 2, 200, 320, 200, 200});
  schedule.add({"b", 1, 300, 360, 190, 300});
  schedule.add({"a", 2, 900, 999, 800, 800});
  EXPECT_EQ(bounds_of(schedule).submission_ns, 800 - 100 + 50);
}

}  // namespace
}  // namespace perseid
