// tests/unit/timeline/analysis/analysis_test.cpp: windows, warm-ups, phases and filters.
#include "timeline/analysis/analysis.h"

#include <gtest/gtest.h>

#include "timeline/model/names.h"
#include "timeline/model/rows_builder.h"

namespace perseid {
namespace {

constexpr int64_t kMs = 1'000'000;

/// Two workers: CPU 0 works from 10 to 30 ms and from 50 to 90 ms, CPU 1 never; submission at 5 ms.
ReportData analysed(const AnalysisOptions& options, bool has_warm_up = false) {
  Analysis analysis(options);
  NameIds names;
  RowsBuilder rows(names);
  rows.add_sink(&analysis);
  for (WorkerId id = 1; id <= 2; ++id) {
    WorkerRow row;
    row.id = id;
    row.name = names.of(id == 1 ? "CPU 0" : "CPU 1");
    row.number = id - 1;
    row.runtime = Runtime::kStarpu;
    rows.add(row);
  }
  TaskRow task;
  task.id = 1;
  task.runtime = Runtime::kStarpu;
  task.submitted_by = 9;
  rows.add(task);
  const auto phase = [&](const char* name, int64_t begin_ns, int64_t end_ns) {
    RegionRow row;
    row.begin_ns = begin_ns * kMs;
    row.end_ns = end_ns == 0 ? kNotYet : end_ns * kMs;
    row.name = names.of(name);
    row.kind = RegionKind::kPhase;
    rows.add(row);
  };
  const auto stretch = [&](WorkerId worker, int64_t begin_ns, int64_t end_ns, WorkerState state,
                           WorkerState next) {
    StretchRow row;
    row.worker = worker;
    row.begin_ns = begin_ns * kMs;
    row.end_ns = end_ns * kMs;
    row.state = state;
    row.next = next;
    rows.add(row);
  };
  const auto step = [&](StepKind kind, int64_t at_ns) {
    StepRow row;
    row.kind = kind;
    row.ns = at_ns * kMs;
    row.task = 1;
    rows.add(row);
  };
  using enum WorkerState;
  step(StepKind::kSubmitted, 5);
  stretch(1, 0, 10, kIdle, kWork);
  if (has_warm_up) phase("Warm-Up", 10, 0);
  phase("solve", 20, 0);
  stretch(1, 10, 30, kWork, kIdle);
  step(StepKind::kEnd, 30);
  if (has_warm_up) phase("Warm-Up", 10, 40);
  stretch(1, 30, 50, kIdle, kWork);
  phase("solve", 20, 60);
  stretch(1, 50, 90, kWork, kIdle);
  step(StepKind::kEnd, 90);
  stretch(2, 0, 95, kIdle, kIdle);
  rows.flush(100 * kMs);
  analysis.finish(names);
  return analysis.result({{"exe", "/usr/bin/lu"}, {"host", "gpu07"}, {"end", "finished"}}, 0);
}

void expect_exact(const ReportData& data) {
  for (const WorkerTime& worker : data.workers) {
    EXPECT_EQ(worker.labels.total(), data.time_ns);
  }
  for (const PhaseTime& phase : data.phases) {
    EXPECT_EQ(phase.labels[0].total(), phase.time_ns * phase.workers[0]);
  }
}

TEST(Analysis, CountsFromTheFirstSubmissionToTheLastEnd) {
  const ReportData data = analysed({});
  EXPECT_EQ(data.program, "lu");
  EXPECT_EQ(data.host, "gpu07");
  EXPECT_EQ(data.time_ns, 85 * kMs);
  EXPECT_EQ(data.before_ns, 5 * kMs);
  EXPECT_EQ(data.after_ns, 10 * kMs);
  EXPECT_EQ(data.tasks, 2u);
  ASSERT_EQ(data.workers.size(), 2u);
  EXPECT_EQ(data.workers[0].labels[Label::kWork], 60 * kMs);
  EXPECT_EQ(data.too_short, "");
  EXPECT_TRUE(data.doubts.empty());
  expect_exact(data);
}

TEST(Analysis, KnowsThePhases) {
  const ReportData data = analysed({});
  ASSERT_EQ(data.phases.size(), 1u);
  EXPECT_EQ(data.phases[0].name, "solve");
  EXPECT_EQ(data.phases[0].time_ns, 40 * kMs);
  EXPECT_EQ(data.phases[0].labels[0][Label::kWork], 20 * kMs);
  expect_exact(data);
}

TEST(Analysis, LeavesOutWarmUps) {
  const ReportData data = analysed({}, true);
  EXPECT_EQ(data.time_ns, 55 * kMs);
  EXPECT_EQ(data.workers[0].labels[Label::kWork], 40 * kMs);
  EXPECT_EQ(data.tasks, 1u);
  EXPECT_NE(data.scope.find("warm-up"), std::string::npos);
  expect_exact(data);
}

TEST(Analysis, CountsTheWindowsThatWereAskedFor) {
  const ReportData data = analysed(
      {.windows = {{20 * kMs, 35 * kMs}, {30 * kMs, 60 * kMs}, {85 * kMs, 900 * kMs}}}, true);
  EXPECT_EQ(data.time_ns, 45 * kMs);
  EXPECT_EQ(data.workers[0].labels[Label::kWork], 25 * kMs);
  EXPECT_EQ(data.tasks, 2u);
  expect_exact(data);
}

TEST(Analysis, KeepsOnlyTheWorkersThatWereNamed) {
  EXPECT_EQ(analysed({.workers = {"CPU 1"}}).workers.size(), 1u);
  EXPECT_EQ(analysed({.workers = {"CPU *"}}).workers.size(), 2u);
  EXPECT_EQ(analysed({.workers = {"CUDA"}}).too_short, "no worker has such a name");
}

TEST(Analysis, DoesNotJudgeWhatIsTooShort) {
  const ReportData data = analysed({.windows = {{20 * kMs, 20 * kMs + 300'000}}});
  EXPECT_EQ(data.too_short, "0 tasks in 0.30 ms are too short to judge");
}

TEST(WarmUps, AreCalledInSeveralWays) {
  for (const char* name : {"warm-up", "warmup", "warm up", "Warm-Up", "WARMUP"}) {
    EXPECT_TRUE(is_warm_up(name)) << name;
  }
  for (const char* name : {"", "warm", "warm-", "warm--up", "warm-up 2", "swarmup", "warmu"}) {
    EXPECT_FALSE(is_warm_up(name)) << name;
  }
}

}  // namespace
}  // namespace perseid
