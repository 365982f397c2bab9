// tests/stream/pipeline_test.cpp: export, merge and check show the same of a capture, and a merge
// keeps what each rank knows.
#include <gtest/gtest.h>

#include <map>

#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/check/report.h"
#include "timeline/export/export.h"
#include "timeline/export/merge_captures.h"

namespace perseid::test {
namespace {

using Counts = std::map<std::string, uint64_t>;
using Settings = std::map<std::string, std::string>;

/// A chain of tasks, each of which waits for the one before.
class Chain {
 public:
  static constexpr uint64_t kTasks = 40;

  explicit Chain(const Settings& settings = {}) : starpu_(1) {
    for (const auto& [key, value] : settings) starpu_.capture.manifest[key] = value;
    for (uint64_t task = 1; task <= kTasks; ++task) {
      starpu_.main().submit_at(static_cast<int64_t>(100 + 20 * task), task,
                               {.name = "step", .uses = {{1, events::kRead | events::kWrite}}});
    }
    int64_t at_ns = 2000;
    for (uint64_t task = 1; task <= kTasks; ++task, at_ns += 100) {
      starpu_.worker(0).exec(at_ns, 0, task).exec_end(at_ns + 50, 0, task).clean(at_ns + 60, task);
    }
  }
  Chain& as_rank(uint32_t rank, uint32_t size) {
    starpu_.capture.manifest["rank"] = std::to_string(rank);
    starpu_.capture.manifest["size"] = std::to_string(size);
    starpu_.capture.mpi_rank = rank;
    starpu_.capture.mpi_size = size;
    return *this;
  }
  std::string write() {
    starpu_.capture.write();
    return starpu_.capture.path();
  }

 private:
  StarpuCapture starpu_;
};

Counts kinds(const CheckReport& report) { return {report.kinds.begin(), report.kinds.end()}; }

Counts lanes(const CheckReport& report) {
  Counts counts;
  for (const CheckReport::LaneCount& lane : report.lanes) {
    counts[lane.name] += lane.slices + lane.instants + lane.samples;
  }
  return counts;
}

uint64_t events(const CheckReport& report) {
  uint64_t sum = 0;
  for (const auto& [name, count] : lanes(report)) sum += count;
  return sum;
}

class Pipeline : public testing::Test {
 protected:
  CheckReport exported(const std::string& capture) {
    const auto report = export_capture(capture, {.out = directory_ / "e.json"});
    EXPECT_TRUE(report) << report.error();
    return *check_timeline(report->file);
  }
  CheckReport merged(const std::vector<std::string>& captures) {
    const auto report = join_captures(captures, {.out = directory_ / "m.json"});
    EXPECT_TRUE(report) << report.error();
    join_ = *report;
    return *check_timeline(report->file);
  }
  static CheckReport checked(const std::string& capture) {
    const auto report = check_capture(capture);
    EXPECT_TRUE(report) << report.error();
    return *report;
  }

  TemporaryDirectory directory_;
  JoinReport join_;
};

TEST_F(Pipeline, TheSettingsOfTheRunHoldThroughEveryDoor) {
  Chain chain(Settings{{"deps", "0"}, {"max_events", "30"}});
  const std::string capture = chain.write();
  const CheckReport by_export = exported(capture);
  const CheckReport by_merge = merged({capture});
  const CheckReport by_check = checked(capture);
  EXPECT_EQ(fact_text(by_export.facts, "cut_by"), "max_events=30");
  EXPECT_EQ(fact_text(by_export.facts, "dependency_arrows"), "");
  EXPECT_EQ(kinds(by_merge), kinds(by_export));
  EXPECT_EQ(lanes(by_merge), lanes(by_export));
  EXPECT_EQ(events(by_check), events(by_export));  // JSON calls counters otherwise
  ASSERT_EQ(by_merge.facts.size(), by_export.facts.size());
  for (const Fact& fact : by_export.facts) {
    EXPECT_EQ(fact_text(by_merge.facts, fact.key), fact.value) << fact.key;
    EXPECT_EQ(fact_text(by_check.facts, fact.key), fact.value) << fact.key;
  }
}

TEST_F(Pipeline, DependencyArrowsAreAsManyInAMerge) {
  Chain none(Settings{{"deps", "0"}}), all(Settings{{"deps", "all"}});
  const std::string without = none.write();
  const std::string with = all.write();
  EXPECT_EQ(kinds(merged({without})), kinds(exported(without)));
  EXPECT_EQ(kinds(merged({with})), kinds(exported(with)));
  EXPECT_LT(kinds(merged({without}))["flow ends"], kinds(merged({with}))["flow ends"]);
}

TEST_F(Pipeline, EachRankOfAMergeHasTheLimitOfItsOwnSettings) {
  Chain few(Settings{{"max_events", "30"}}), all;
  const std::string first = few.as_rank(0, 2).write();
  const std::string second = all.as_rank(1, 2).write();
  const uint64_t limited = events(exported(first));
  const uint64_t whole = events(exported(second));
  ASSERT_LT(limited, whole);
  const CheckReport both = merged({first, second});
  // Each rank has the row "Run" in it, and a row below the job's.
  const Counts counts = lanes(both);
  EXPECT_EQ(
      events(both) - counts.at("Run") - counts.at("rank 0 · node7") - counts.at("rank 1 · node7"),
      limited + whole);
  EXPECT_EQ(fact_text(both.facts, "rank 0: cut_by"), "max_events=30");
  EXPECT_EQ(fact_text(both.facts, "rank 1: cut_by"), "");
  ASSERT_EQ(join_.cuts.size(), 1u);
  EXPECT_TRUE(join_.cuts[0].starts_with("rank 0: cut at ")) << join_.cuts[0];
}

TEST_F(Pipeline, BytesAreCountedForEachRank) {
  Chain first, second;
  const std::string captures[] = {first.as_rank(0, 2).write(), second.as_rank(1, 2).write()};
  const CheckReport unlimited = merged({captures[0], captures[1]});
  // Room for each of them, but not for both.
  const std::string limit = std::to_string(join_.file_bytes * 3 / 4 + 40'000);
  Chain third(Settings{{"max_bytes", limit}}), fourth(Settings{{"max_bytes", limit}});
  const CheckReport limited = merged({third.as_rank(0, 2).write(), fourth.as_rank(1, 2).write()});
  EXPECT_EQ(lanes(limited), lanes(unlimited));
}

TEST_F(Pipeline, FactsSurviveAMergeByTheirScope) {
  Chain first, second;
  const CheckReport both = merged({first.as_rank(0, 2).write(), second.as_rank(1, 2).write()});
  const auto fact = [&](std::string_view key) { return fact_text(both.facts, key); };
  EXPECT_EQ(fact("starpu_executions"), std::to_string(2 * Chain::kTasks));
  EXPECT_EQ(fact("starpu_submissions"), std::to_string(2 * Chain::kTasks));
  EXPECT_EQ(fact("dependency_arrows"), std::to_string(2 * (Chain::kTasks - 1)));
  EXPECT_NE(fact("starpu"), "");  // the same for all: once
  EXPECT_EQ(fact("rank 0: starpu"), "");
  EXPECT_EQ(fact("rank 1: end"), "finished");
  EXPECT_EQ(fact("end"), "");
}

}  // namespace
}  // namespace perseid::test
