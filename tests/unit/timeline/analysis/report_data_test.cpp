// tests/unit/timeline/analysis/report_data_test.cpp: reports of ranks add up.
#include "timeline/analysis/report_data.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/timeline/report/example_report.h"

namespace perseid {
namespace {

using test::example_report;
using test::kSecond;

ReportData rank_at(int64_t begin_ns, int64_t time_ns, const char* host) {
  ReportData data = example_report();
  data.host = host;
  data.begin_ns = begin_ns;
  data.end_ns = begin_ns + time_ns;
  data.time_ns = time_ns;
  for (WorkerTime& worker : data.workers) {
    worker.labels = {};
    worker.labels[Label::kWork] = time_ns;
  }
  data.chain.ns = {};
  data.chain.ns[0] = time_ns;
  return data;
}

void expect_exact(const ReportData& data) {
  for (const WorkerTime& worker : data.workers) {
    EXPECT_EQ(worker.labels.total(), data.time_ns) << worker.name;
  }
  EXPECT_EQ(std::accumulate(data.chain.ns.begin(), data.chain.ns.end(), int64_t{0}), data.time_ns);
}

TEST(ReportsOfRanks, CoverTheTimeOfAllOfThem) {
  ReportData job;
  job.ranks = 0;
  add(job, rank_at(10 * kSecond, 5 * kSecond, "a"));
  add(job, rank_at(8 * kSecond, 4 * kSecond, "b"));
  add(job, rank_at(9 * kSecond, 8 * kSecond, "b"));
  EXPECT_EQ(job.ranks, 3u);
  EXPECT_EQ(job.host, "a and 1 more");
  EXPECT_EQ(job.begin_ns, 8 * kSecond);
  EXPECT_EQ(job.end_ns, 17 * kSecond);
  EXPECT_EQ(job.time_ns, 9 * kSecond);
  ASSERT_EQ(job.workers.size(), 12u);
  EXPECT_EQ(job.tasks, 3 * example_report().tasks);
  expect_exact(job);
  const LabelSums& first = job.workers.front().labels;
  EXPECT_EQ(first[Label::kStart], 2 * kSecond);
  EXPECT_EQ(first[Label::kWork], 5 * kSecond);
  EXPECT_EQ(first[Label::kTail], 2 * kSecond);
}

TEST(ReportsOfRanks, KeepTheChainOfTheLastOneToEnd) {
  ReportData job = rank_at(0, 5 * kSecond, "a");
  ReportData last = rank_at(kSecond, 9 * kSecond, "b");
  last.chain.ns = {};
  last.chain.ns[static_cast<size_t>(ChainLabel::kData)] = 9 * kSecond;
  add(job, last);
  EXPECT_EQ(job.chain.ns[static_cast<size_t>(ChainLabel::kData)], 9 * kSecond);
  expect_exact(job);
  ASSERT_EQ(job.kinds.size(), 3u);
  EXPECT_EQ(job.kinds.front().tasks, 800u);
  EXPECT_EQ(job.kinds.front().on[0].median_ns, 1'390'000);
}

TEST(ReportsOfRanks, HaveNoChainIfNoneIsKnown) {
  ReportData job = rank_at(0, 5 * kSecond, "a");
  job.chain = {};
  ReportData last = rank_at(kSecond, 9 * kSecond, "b");
  last.chain = {};
  add(job, last);
  EXPECT_EQ(std::accumulate(job.chain.ns.begin(), job.chain.ns.end(), int64_t{0}), 0);
}

TEST(ReportsOfRanks, StayExactWithWarmUpsLeftOut) {
  ReportData job = rank_at(0, 5 * kSecond, "a");
  job.end_ns += 2 * kSecond;  // of which two seconds do not count
  add(job, rank_at(kSecond, 7 * kSecond, "a"));
  expect_exact(job);
  EXPECT_EQ(job.host, "a");
}

TEST(ReportsOfRanks, IncludeThoseThatDidNothing) {
  ReportData nothing;
  nothing.too_short = "nothing";
  ReportData job = rank_at(0, kSecond, "a");
  add(job, nothing);
  EXPECT_EQ(job.too_short, "");
  expect_exact(job);
  ReportData other = nothing;
  add(other, rank_at(0, kSecond, "a"));
  expect_exact(other);
  EXPECT_EQ(other.time_ns, kSecond);
}

TEST(ReportsOfRanks, HavePhasesThatSumToo) {
  ReportData job = example_report();
  ReportData more = example_report();
  more.phases.front().time_ns = 6 * kSecond;
  for (LabelSums& labels : more.phases.front().labels) labels = {};
  more.phases.front().labels[0][Label::kWork] = 18 * kSecond;
  more.phases.front().labels[1][Label::kWork] = 6 * kSecond;
  add(job, more);
  ASSERT_EQ(job.phases.size(), 1u);
  const PhaseTime& phase = job.phases.front();
  EXPECT_EQ(phase.time_ns, 6 * kSecond);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(phase.labels[i].total(), phase.time_ns * phase.workers[i]);
  }
}

}  // namespace
}  // namespace perseid
