// tests/stream/starpu/dependencies_test.cpp: arrows between tasks: by data, by task, by tag.
#include <gtest/gtest.h>

#include "tests/stream/starpu/starpu_capture.h"

namespace perseid::test {
namespace {

using events::kCommute;
using events::kRead;
using events::kReduction;
using events::kScratch;
using events::kWrite;
using events::WaitKind;

constexpr uint32_t kReadWrite = kRead | kWrite;

/// Submits and later executes tasks on one worker, in the order of their submission.
class Program {
 public:
  Program() : starpu(1) {}

  void task(std::string_view name, std::vector<Use> uses, Submitted what = {}) {
    what.name = name;
    what.uses = std::move(uses);
    starpu.main().submit_at(now_ += 20, next_, what);
    addresses_.push_back(next_++);
  }
  uint64_t next() const { return next_; }
  int64_t now() { return now_ += 20; }

  /// Arrows that are not those of submissions.
  Lines dependencies(uint64_t most = DependencyArrows::kDefaultLimit) {
    int64_t at = now_ + 1000;
    for (const uint64_t address : addresses_) {
      starpu.worker(0).exec(at, 0, address).exec_end(at + 50, 0, address).clean(at + 60, address);
      at += 100;
    }
    reading = starpu.read(most);
    Lines found = arrows(reading);
    std::erase_if(found, [](const std::string& line) { return line.starts_with("submit "); });
    EXPECT_EQ(reading.sink.find_overlap(), "");
    return found;
  }

  StarpuCapture starpu;
  Reading reading;

 private:
  int64_t now_ = 100;
  uint64_t next_ = 0xa0;
  std::vector<uint64_t> addresses_;
};

TEST(StarpuDependencies, ReadersWaitForTheWriterAndTheNextWriterForAllReaders) {
  Program program;
  program.task("w1", {{1, kWrite}});
  program.task("r1", {{1, kRead}});
  program.task("r2", {{1, kRead}});
  program.task("w2", {{1, kReadWrite}});
  program.task("w3", {{1, kWrite}});
  EXPECT_EQ(program.dependencies(), (Lines{"r1 > w2", "r2 > w2", "w1 > r1", "w1 > r2", "w2 > w3"}));
}

TEST(StarpuDependencies, CommutingWritesDoNotWaitForEachOther) {
  Program program;
  program.task("w", {{1, kWrite}});
  program.task("c1", {{1, kReadWrite | kCommute}});
  program.task("c2", {{1, kReadWrite | kCommute}});
  program.task("r", {{1, kRead}});
  EXPECT_EQ(program.dependencies(), (Lines{"c1 > r", "c2 > r", "w > c1", "w > c2"}));
}

TEST(StarpuDependencies, ScratchAndUnorderedAccessesBringNone) {
  Program program;
  program.task("w", {{1, kWrite}, {2, kScratch}});
  program.task("s", {{2, kScratch}});
  program.task("u", {{1, kRead | events::kNotOrdered}});
  EXPECT_EQ(program.dependencies(), Lines{});
}

TEST(StarpuDependencies, TasksSubmittedWithoutDependenciesHaveNone) {
  Program program;
  program.task("w", {{1, kWrite}});
  program.task("free", {{1, kRead}}, {.flags = events::kWithoutDependencies});
  EXPECT_EQ(program.dependencies(), Lines{});
}

TEST(StarpuDependencies, ReductionsRunTogetherAndAreJoinedByTasksOfStarpu) {
  Program program;
  program.task("init", {{1, kWrite}});
  program.task("part 1", {{1, kReduction}});
  program.task("part 2", {{1, kReduction}});
  // The reader is submitted first; StarPU submits the join when the reader wants the result.
  program.starpu.main().submit_at(program.now(), 0xff, {.name = "reader", .uses = {{1, kRead}}});
  program.task("redux_task_between_replicates",
               {{1, kReadWrite}, {2, kRead | events::kNotOrdered}});
  EXPECT_EQ(program.dependencies(),
            (Lines{"init > part 1", "init > part 2", "part 1 > redux_task_between_replicates",
                   "part 2 > redux_task_between_replicates"}));
  program.starpu.worker(0).exec(9000, 0, 0xff).exec_end(9100, 0, 0xff);
  Lines all = arrows(program.starpu.read());
  std::erase_if(all, [](const std::string& line) { return !line.ends_with("> reader"); });
  EXPECT_EQ(all, (Lines{"part 1 > reader", "part 2 > reader",
                        "redux_task_between_replicates > reader", "submit reader > reader"}));
}

TEST(StarpuDependencies, ATaskThatNamesDataTwiceWaitsOnceAndNeverForItself) {
  Program program;
  program.task("w", {{1, kWrite}, {2, kWrite}});
  program.task("both", {{1, kRead}, {1, kReadWrite}, {2, kRead}});
  program.task("r", {{1, kRead}});
  EXPECT_EQ(program.dependencies(), (Lines{"both > r", "w > both"}));
}

TEST(StarpuDependencies, TasksSubmittedInsideASubmissionComeBeforeIt) {
  Program program;
  program.task("writer", {{1, kWrite}});
  program.starpu.main()
      .submit(200, 0xee, {.name = "outer", .uses = {{2, kRead}}})
      .submit_at(210, 0xdd, {.name = "switch", .uses = {{1, kReadWrite}, {2, kWrite}}})
      .submit_end(230, 0xee);
  program.starpu.worker(0)
      .exec(300, 0, 0xa0)
      .exec_end(310, 0, 0xa0)
      .exec(320, 0, 0xdd)
      .exec_end(330, 0, 0xdd)
      .exec(340, 0, 0xee)
      .exec_end(350, 0, 0xee);
  Lines found = arrows(program.starpu.read());
  std::erase_if(found, [](const std::string& line) { return line.starts_with("submit "); });
  EXPECT_EQ(found, (Lines{"switch > outer", "writer > switch"}));
}

TEST(StarpuDependencies, AnAcquisitionTakesPartInTheOrder) {
  Program program;
  program.task("w", {{1, kWrite}});
  program.starpu.main()
      .wait(200, WaitKind::kForData, 1, kReadWrite)
      .wait_end(600, WaitKind::kForData)
      .submit_at(700, 0xee, {.name = "later", .uses = {{1, kRead}}});
  program.starpu.worker(0).exec(300, 0, 0xa0).exec_end(500, 0, 0xa0);
  program.starpu.worker(0).exec(800, 0, 0xee).exec_end(850, 0, 0xee);
  EXPECT_EQ(arrows(program.starpu.read()), (Lines{"acquire data > later", "submit later > later",
                                                  "submit w > w", "w > acquire data"}));
}

TEST(StarpuDependencies, ByTaskBeforeAndAfterTheSubmissions) {
  Program program;
  const uint64_t a = program.next(), b = a + 1, c = a + 2;
  // c waits for a and b, and nobody is submitted yet.
  program.starpu.main().record(101, events::kTaskDeps, 0, {c, a, b});
  program.task("a", {});
  program.task("b", {});
  program.task("c", {});
  program.starpu.main().record(program.now(), events::kTaskDeps, 0, {c + 1, c});
  program.task("d", {});
  EXPECT_EQ(program.dependencies(), (Lines{"a > c", "b > c", "c > d"}));
}

TEST(StarpuDependencies, WhatEndsWithAnotherTaskIsWaitedForToo) {
  Program program;
  const uint64_t parent = program.next(), child = parent + 1;
  program.task("parent", {{1, kWrite}});
  program.starpu.main().record(program.now(), events::kTaskDeps, 1, {parent, child});
  program.task("child", {});
  program.task("after", {{1, kRead}});
  EXPECT_EQ(program.dependencies(), (Lines{"child > after", "parent > after"}));
}

TEST(StarpuDependencies, ByTagWhicheverIsDeclaredFirst) {
  Program program;
  program.starpu.main().record(101, events::kTagDeps, 0, {30, 10, 20});
  program.task("first", {}, {.flags = events::kHasTag, .tag = 10});
  program.task("second", {}, {.flags = events::kHasTag, .tag = 20});
  program.task("both", {}, {.flags = events::kHasTag, .tag = 30});
  program.task("last", {}, {.flags = events::kHasTag, .tag = 40});
  program.starpu.main().record(program.now(), events::kTagDeps, 0, {40, 30});
  EXPECT_EQ(program.dependencies(), (Lines{"both > last", "first > both", "second > both"}));
}

TEST(StarpuDependencies, ATagMayBeNotifiedByTheProgram) {
  Program program;
  program.starpu.main().record(101, events::kTagDeps, 0, {30, 10});
  program.task("waits", {}, {.flags = events::kHasTag, .tag = 30});
  program.starpu.main().record(program.now(), events::kTagChange,
                               static_cast<uint32_t>(events::TagChange::kNotified), {10});
  EXPECT_EQ(program.dependencies(), Lines{"tag notified > waits"});
}

TEST(StarpuDependencies, TheOldestOfTasksThatShareATagStandsForIt) {
  StarpuCapture starpu(2);
  const Submitted shared{.name = "older", .flags = events::kHasTag, .tag = 10};
  starpu.main()
      .submit_at(100, 0xa, shared)
      .submit_at(120, 0xb, {.name = "newer", .flags = events::kHasTag, .tag = 10})
      .record(140, events::kTagDeps, 0, {30, 10})
      .submit_at(150, 0xc, {.name = "waits", .flags = events::kHasTag, .tag = 30});
  starpu.worker(0).exec(1000, 0, 0xa).exec_end(1100, 0, 0xa);
  starpu.worker(1).exec(1050, 1, 0xb).exec_end(1500, 1, 0xb);
  starpu.worker(0).exec(1200, 0, 0xc).exec_end(1300, 0, 0xc);
  EXPECT_EQ(arrows(starpu.read()), (Lines{"older > waits", "submit newer > newer",
                                          "submit older > older", "submit waits > waits"}));
}

TEST(StarpuDependencies, NoArrowPointsBackInTime) {
  StarpuCapture starpu(2);
  starpu.main()
      .submit_at(100, 0xa, {.name = "regenerated", .uses = {{1, kWrite}}})
      .submit_at(120, 0xb, {.name = "reads", .uses = {{1, kRead}}});
  starpu.worker(0).exec(1000, 0, 0xa).exec_end(1100, 0, 0xa).exec(1300, 0, 0xa);
  starpu.worker(1).exec(1200, 1, 0xb).exec_end(1400, 1, 0xb);
  starpu.worker(0).exec_end(1500, 0, 0xa);
  EXPECT_EQ(arrows(starpu.read()),
            (Lines{"submit reads > reads", "submit regenerated > regenerated",
                   "submit regenerated > regenerated"}));
}

TEST(StarpuDependencies, AreLimitedAndTheRestIsCounted) {
  const auto fill = [](Program& program) {
    for (int i = 0; i < 6; ++i) program.task("t", {{1, kWrite}});
  };
  Program few;
  fill(few);
  EXPECT_EQ(few.dependencies(3).size(), 3u);
  EXPECT_EQ(few.reading.sink.fact("dependency_arrows"), "3");
  EXPECT_EQ(few.reading.sink.fact("dependency_arrows_left_out"), "2");
  Program none;
  fill(none);
  EXPECT_EQ(none.dependencies(0), Lines{});
  EXPECT_EQ(none.reading.sink.fact("dependency_arrows_left_out"), "");
  EXPECT_EQ(arrows(none.reading).size(), 6u);  // of the submissions
}

TEST(StarpuDependencies, UnregisteredDataIsForgotten) {
  Program program;
  program.task("w", {{1, kWrite}});
  program.starpu.main().record(program.now(), events::kDataUnregister, 0, {1});
  program.task("other data at the same address", {{1, kRead}});
  EXPECT_EQ(program.dependencies(), Lines{});
}

}  // namespace
}  // namespace perseid::test
