// tests/stream/ompt/tasks_test.cpp: what becomes of OpenMP's tasks on the timeline.
#include <gtest/gtest.h>

#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using ompt::DependenceType;
using ompt::SyncKind;
using ompt::TaskStatus;
using Lines = std::vector<std::string>;

/// Slices and instants; counters have tests of their own.
Lines slices_of(CaptureBuilder& capture) {
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.damages, Lines{});
  EXPECT_EQ(reading.sink.find_overlap(), "");
  Lines lines;
  for (const std::string& line : reading.sink.lines) {
    if (line.find(" = ") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

OmptStream main_thread(CaptureBuilder& capture) {
  return OmptStream(capture.stream(1, 4242, "main"));
}

TEST(OmptTasks, ATaskRunsInsideTheWaitThatRunsIt) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7)
      .sync(20, SyncKind::kTaskwait)
      .run(30, 7)
      .end(60, 7, 1)
      .sync_end(100, SyncKind::kTaskwait);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: 30..60 task {task=1, queued_ns=20} <-1",
                   "main: 20..100 taskwait {waited_ns=50, tasks_run=1}"}));
}

TEST(OmptTasks, ATaskThatWaitsContainsTheTasksRunMeanwhile) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7)
      .run(20, 7)
      .create(30, 8)
      .sync(40, SyncKind::kTaskwait)
      .run(50, 8)
      .end(60, 8, 7)
      .sync_end(70, SyncKind::kTaskwait)
      .end(80, 7, 1);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @30 create {task=2} ->2",
                   "main: 50..60 task {task=2, parent=1, queued_ns=20} <-2",
                   "main: 40..70 taskwait {waited_ns=20, tasks_run=1}",
                   "main: 20..80 task {task=1, queued_ns=10} <-1"}));
}

TEST(OmptTasks, AnUntiedTaskIsCutWhereItLeavesItsThreadAndAnArrowJoinsTheParts) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7, ompt::kTaskExplicit | ompt::kTaskUntied)
      .run(20, 7)
      .run(30, 1);
  OmptStream(capture.stream(2, 4243, "other")).initial(6, 2).run(50, 7).end(60, 7, 2);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1",
                   "main: 20..30 task {task=1, kind=untied, queued_ns=10} <-1 ->2",
                   "other: 50..60 task {task=1, interval=2} <-2"}));
}

TEST(OmptTasks, TheLastChildOnAnotherThreadPointsToTheEndOfTheWait) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7)
      .create(11, 8)
      .sync(20, SyncKind::kTaskwait)
      .run(30, 7)
      .end(40, 7, 1)
      .sync_end(100, SyncKind::kTaskwait);
  OmptStream(capture.stream(2, 4243, "other")).initial(6, 2).run(25, 8).end(90, 8, 2);
  const Lines lines = slices_of(capture);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[3], "other: 25..90 task {task=2, queued_ns=14} <-2 ->3");
  EXPECT_EQ(lines[4], "main: 20..100 taskwait {waited_ns=70, tasks_run=1}");
  EXPECT_EQ(lines[5], "main: @100 last task done <-3");
}

TEST(OmptTasks, DependencesComeFromTheOrderOfAccesses) {
  constexpr uint64_t kX = 0x1000, kY = 0x2000;
  CaptureBuilder capture;
  OmptStream stream = main_thread(capture);
  stream.initial(1, 1);
  stream.create(10, 11).depend(11, 11, {{DependenceType::kOut, kX}});
  stream.create(12, 12).depend(13, 12, {{DependenceType::kIn, kX}});
  stream.create(14, 13).depend(15, 13, {{DependenceType::kIn, kX}, {DependenceType::kOut, kY}});
  stream.create(16, 14).depend(17, 14, {{DependenceType::kInout, kX}});
  for (uint64_t task = 11; task <= 14; ++task) {
    const auto at = static_cast<int64_t>(10 * task);
    stream.run(at, task).end(at + 5, task, 1);
  }
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @12 create {task=2} ->2",
                   "main: @14 create {task=3} ->3", "main: @16 create {task=4} ->4",
                   "main: 110..115 task {task=1, queued_ns=100, depends_on=0} <-1 ->5",
                   "main: 120..125 task {task=2, queued_ns=5, depends_on=1} <-2 <-5 ->6",
                   "main: 130..135 task {task=3, queued_ns=15, depends_on=1} <-3 <-5 ->7",
                   "main: 140..145 task {task=4, queued_ns=5, depends_on=2} <-4 <-6 <-7 ->8"}));
}

TEST(OmptTasks, ATaskThatDependsOnATaskLongOverStillPointsBackToIt) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .create(10, 11)
      .depend(11, 11, {{DependenceType::kOut, 0x1000}})
      .run(20, 11)
      .end(30, 11, 1)
      .create(40, 12)
      .depend(41, 12, {{DependenceType::kIn, 0x1000}})
      .run(50, 12)
      .end(60, 12, 1);
  const Lines lines = slices_of(capture);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[1], "main: 20..30 task {task=1, queued_ns=10, depends_on=0} <-1 ->2");
  EXPECT_EQ(lines[3], "main: 50..60 task {task=2, queued_ns=10, depends_on=1} <-3 <-2 ->4");
}

TEST(OmptTasks, ADetachedTaskIsOverWhenItsEventIsFulfilled) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .create(10, 7)
      .depend(11, 7, {{DependenceType::kOut, 0x1000}})
      .run(20, 7)
      .end(30, 7, 1, TaskStatus::kDetach)
      .create(40, 8)
      .depend(41, 8, {{DependenceType::kIn, 0x1000}})
      .note(50, 7, TaskStatus::kLateFulfill)
      .run(60, 8)
      .end(70, 8, 1);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1",
                   "main: 20..30 task {task=1, queued_ns=10, depends_on=0} <-1",
                   "main: @40 create {task=2} ->2", "main: @50 event fulfilled {task=1} ->3",
                   "main: 60..70 task {task=2, queued_ns=10, depends_on=1} <-2 <-3 ->4"}));
}

/// Waits for dependences have no id but in their creation.
TEST(OmptTasks, AWaitForDependencesMayBeginInsideAnotherOne) {
  using ompt::DependenceType;
  constexpr uint32_t kWait = ompt::kTaskTaskwait | ompt::kTaskUndeferred;
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .create(10, 7)
      .depend(11, 7, {{DependenceType::kOut, 0x1000}})
      .create(20, 8, kWait)
      .own_depend(21, 0, DependenceType::kIn, 0x1000)
      .run(30, 7)
      .create(31, 9)
      .depend(32, 9, {{DependenceType::kOut, 0x2000}})
      .create(33, 10, kWait)
      .own_depend(34, 0, DependenceType::kIn, 0x2000)
      .run(40, 9)
      .end(50, 9, 7)
      .note(51, 0, TaskStatus::kTaskwaitComplete)
      .end(60, 7, 0)
      .note(61, 0, TaskStatus::kTaskwaitComplete);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @20 create {task=2} ->2",
                   "main: @31 create {task=3} ->3", "main: @33 create {task=4} ->4",
                   "main: 40..50 task {task=3, parent=1, queued_ns=9, depends_on=0} <-3 ->5",
                   "main: @51 dependences satisfied {task=4} <-5 ->6",
                   "main: 30..60 task {task=1, queued_ns=20, depends_on=0} <-1 ->7",
                   "main: @61 dependences satisfied {task=2} <-7 ->8"}));
}

TEST(OmptTasks, ACancelledTaskThatNeverRanIsAMoment) {
  CaptureBuilder capture;
  main_thread(capture).initial(1, 1).create(10, 7).end(20, 7, 1, TaskStatus::kCancel);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @20 task cancelled {task=1}"}));
}

TEST(OmptTasks, ATaskWhoseCreationIsMissingIsShownAllTheSame) {
  CaptureBuilder capture;
  main_thread(capture).initial(1, 1).run(10, 99).end(20, 99, 1).end(30, 98, 1);
  EXPECT_EQ(slices_of(capture), (Lines{"main: 10..20 task {task=1, queued_ns=0}"}));
}

TEST(OmptTasks, WhatIsOpenAtTheEndSaysSo) {
  CaptureBuilder capture;
  main_thread(capture).initial(1, 1).create(10, 7).run(20, 7).sync(30, SyncKind::kTaskwait);
  OmptStream(capture.stream(2, 4243, "other")).initial(100, 2);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1",
                   "main: 30..100 taskwait {unfinished=true, waited_ns=70}",
                   "main: 20..100 task {task=1, queued_ns=10, unfinished=true} <-1 ->2"}));
}

TEST(OmptTasks, CountersFollowTheStatesOfTasks) {
  CaptureBuilder capture;
  constexpr int64_t kApart = 100'000;  // further apart than samples are joined
  main_thread(capture)
      .initial(1, 1)
      .create(1 * kApart, 7)
      .depend(2 * kApart, 7, {{DependenceType::kOut, 0x1000}})
      .create(3 * kApart, 8)
      .depend(4 * kApart, 8, {{DependenceType::kIn, 0x1000}})
      .run(5 * kApart, 7)
      .end(6 * kApart, 7, 1)
      .run(7 * kApart, 8)
      .end(8 * kApart, 8, 1);
  capture.write();
  const Reading reading = read_capture(capture.path());
  const auto samples = [&](const std::string& counter) {
    Lines found;
    for (const std::string& line : reading.sink.lines) {
      if (line.starts_with(counter + ": ")) found.push_back(line.substr(counter.size() + 2));
    }
    return found;
  };
  EXPECT_EQ(samples("OpenMP tasks submitted"),
            (Lines{"@100000 = 1", "@300000 = 2", "@600000 = 1", "@800000 = 0"}));
  EXPECT_EQ(samples("OpenMP tasks ready"), (Lines{"@100000 = 1", "@300000 = 2", "@400000 = 1",
                                                  "@500000 = 0", "@600000 = 1", "@700000 = 0"}));
  EXPECT_EQ(samples("OpenMP tasks waiting for dependences"), (Lines{"@400000 = 1", "@600000 = 0"}));
  EXPECT_EQ(samples("OpenMP tasks running"),
            (Lines{"@500000 = 1", "@600000 = 0", "@700000 = 1", "@800000 = 0"}));
}

}  // namespace
}  // namespace perseid::test
