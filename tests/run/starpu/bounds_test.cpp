// tests/run/starpu/bounds_test.cpp: the bound that StarPU computes of its own run is ours.
#include "timeline/analysis/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "capture/reader.h"
#include "tests/run/starpu/traced_run.h"
#include "timeline/analysis/statistics.h"
#include "timeline/sinks/no_drawing.h"
#include "timeline/walk/decoder.h"
#include "timeline/walk/walk.h"

namespace perseid::starpu {
namespace {

constexpr auto kCpu = static_cast<size_t>(WorkerKind::kCpu);
constexpr auto kDevice = static_cast<size_t>(WorkerKind::kOpencl);

class StarpuBounds : public testing::Test {
 protected:
  /// In one folder, so that the second run knows what the first has measured.
  host::Ending run(const std::string& mode, const std::string& settings,
                   const std::string& calibrate) {
    starpu::Run what;
    what.program = "bounded";
    what.args = {mode};
    what.settings = settings;
    what.is_preloaded = !settings.empty();
    what.environment = {{"STARPU_HOME", PERSEID_STARPU_DEVICE_HOME},
                        {"STARPU_OPENCL_ON_CPUS", "1"},
                        {"STARPU_NOPENCL", "1"},
                        {"STARPU_NCPU", "2"},
                        {"STARPU_SCHED", "dmda"},
                        // Sleeping too long on a busy machine is no reason to forget all.
                        {"STARPU_HISTORY_MAX_ERROR", "1000000"},
                        {"STARPU_CALIBRATE", calibrate}};
    return sandbox_.run(launch_of(what));
  }

  void walk_capture(Statistics& statistics) {
    const std::vector<std::string> captures = sandbox_.captures();
    ASSERT_EQ(captures.size(), 1u);
    Result<std::unique_ptr<Capture>> opened = Capture::open(captures.front(), known_kinds());
    ASSERT_TRUE(opened) << opened.error();
    NoDrawing drawing;
    WalkOptions options;
    options.dependency_arrows = 0;
    options.model_sinks = {&statistics};
    walk(**opened, drawing, options);
  }

  host::Sandbox sandbox_;
};

TEST_F(StarpuBounds, AreTheSameByStarpu) {
  // "2": what former runs have measured is forgotten.
  const host::Ending calibration = run("calibrate", "", "2");
  ASSERT_TRUE(calibration.is_success()) << calibration.describe();
  const host::Ending measured = run("measure", host::kCaptureOnly, "0");
  ASSERT_TRUE(measured.is_success()) << measured.describe();
  Statistics statistics;
  walk_capture(statistics);

  double starpu_ns = 0;
  std::map<std::string, ByWorkerKind<double>> expected_ns;
  std::istringstream lines(measured.out);
  for (std::string word; lines >> word;) {
    if (word == "bound") {
      lines >> starpu_ns;
      starpu_ns *= 1e6;
    } else if (word == "expected") {
      std::string kind, on;
      double us = 0;
      lines >> kind >> on >> us;
      expected_ns[kind][on == "cpu" ? kCpu : kDevice] = 1000 * us;
    }
  }
  ASSERT_GT(starpu_ns, 0) << measured.out;
  ASSERT_EQ(statistics.executions(), 46u);
  ASSERT_EQ(statistics.workers(WorkerKind::kCpu).workers, 2u);
  ASSERT_EQ(statistics.workers(WorkerKind::kOpencl).workers, 1u);

  // Ours, of the tasks that the capture has, with the times that StarPU expects, is StarPU's.
  std::vector<AreaClass> classes;
  double shortest = 1e9, longest = 0;
  for (const KindStatistics& kind : statistics.kinds()) {
    EXPECT_EQ(kind.tasks, 23u) << kind.kind;
    AreaClass& of = classes.emplace_back();
    for (const size_t on : {kCpu, kDevice}) {
      const double expected = expected_ns[kind.kind][on];
      ASSERT_GT(expected, 0) << kind.kind;
      of.tasks[on] = kind.on[on].tasks;
      ASSERT_GT(of.tasks[on], 0u) << kind.kind;
      const auto tasks = static_cast<double>(of.tasks[on]);
      of.total_ns[on] = std::llround(tasks * expected);
      const double ratio = static_cast<double>(kind.on[on].total_ns) / tasks / expected;
      shortest = std::min(shortest, ratio);
      longest = std::max(longest, ratio);
    }
  }
  ASSERT_EQ(classes.size(), 2u);
  ByWorkerKind<uint32_t> workers{};
  workers[kCpu] = 2;
  workers[kDevice] = 1;
  const AreaBound area = area_bound(classes, workers, {});
  // Both round: the linear program in doubles, and times to nanoseconds.
  EXPECT_NEAR(static_cast<double>(area.ns), starpu_ns, 1000 + 1e-6 * starpu_ns);

  // With the times that were measured, the bound lies where theirs are around the expected ones:
  // it grows with each of them, and with all of them by as much.
  std::vector<KindStatistics> kinds = statistics.kinds();
  Bounds bounds;
  add_bounds(statistics, bounds, kinds);
  EXPECT_GE(static_cast<double>(bounds.area_ns), starpu_ns * shortest * (1 - 1e-6) - 1000);
  EXPECT_LE(static_cast<double>(bounds.area_ns), starpu_ns * longest * (1 + 1e-6) + 1000);
  EXPECT_LE(bounds.best_ns, statistics.time_ns());
  EXPECT_GT(bounds.submission_ns, 0);
  for (const KindStatistics& kind : kinds) {
    EXPECT_EQ(kind.on[kCpu].area_tasks + kind.on[kDevice].area_tasks, 23) << kind.kind;
    EXPECT_GE(kind.predicted_tasks, 20u) << kind.kind;
    EXPECT_GE(kind.model_error_permille, 0) << kind.kind;
  }
}

}  // namespace
}  // namespace perseid::starpu
