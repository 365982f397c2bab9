// tests/stream/ompt/short_records_test.cpp: the short records of tasks mean what the long ones say.
#include <gtest/gtest.h>

#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using Lines = std::vector<std::string>;

Lines slices_of(CaptureBuilder& capture) {
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.error, "");
  EXPECT_EQ(reading.sink.find_overlap(), "");
  Lines lines;
  for (const std::string& line : reading.sink.lines) {
    if (line.find(" = ") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

uint64_t id_of(uint32_t stream, uint32_t lower_half) {
  return ompt::own_task_id(stream, lower_half);
}

constexpr uint32_t kImplicitTask = 0;

TEST(OmptShortRecords, ATaskIsCreatedRunAndLeftOnOneThread) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, id_of(1, 1))
      .own_create(10, 7, ompt::kTaskExplicit | ompt::kTaskUntied)
      .own_run(30, 7)
      .return_to(60, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1",
                   "main: 30..60 task {task=1, kind=untied, queued_ns=20} <-1"}));
}

TEST(OmptShortRecords, AnotherThreadRunsItByItsWholeId) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main")).initial(5, id_of(1, 1)).own_create(10, 7);
  OmptStream(capture.stream(2, 4243, "second"))
      .initial(6, id_of(2, 1))
      .run(20, id_of(1, 7))
      .return_to(50, kImplicitTask);
  EXPECT_EQ(slices_of(capture), (Lines{"main: @10 create {task=1} ->1",
                                       "second: 20..50 task {task=1, queued_ns=10} <-1"}));
}

TEST(OmptShortRecords, ATaskOfAnotherThreadMayShareTheLowerHalfOfTheOneBelow) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main")).initial(5, id_of(1, 1)).own_create(10, 7);
  OmptStream(capture.stream(2, 4243, "second"))
      .initial(6, id_of(2, 1))
      .own_create(11, 7)
      .own_run(15, 7)
      .run(20, id_of(1, 7))
      .return_to(50, id_of(2, 7))
      .return_to(60, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "second: @11 create {task=2} ->2",
                   "second: 20..50 task {task=1, queued_ns=10} <-1",
                   "second: 15..60 task {task=2, queued_ns=4} <-2"}));
}

TEST(OmptShortRecords, ATaskMayShareTheLowerHalfOfTheImplicitTask) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, id_of(2, 7))
      .own_create(10, 7)
      .own_run(20, 7)
      .own_create(30, 8)
      .own_run(40, 8)
      .return_to(50, id_of(1, 7))
      .return_to(60, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @30 create {task=2} ->2",
                   "main: 40..50 task {task=2, parent=1, queued_ns=10} <-2",
                   "main: 20..60 task {task=1, queued_ns=10} <-1"}));
}

TEST(OmptShortRecords, ASuspendedTaskLeavesTheThreadToTheImplicitOne) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, id_of(1, 1))
      .own_create(10, 7, ompt::kTaskExplicit | ompt::kTaskUntied)
      .own_run(20, 7)
      .own_run(30, kImplicitTask)
      .own_run(40, 7)
      .return_to(50, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1",
                   "main: 20..30 task {task=1, kind=untied, queued_ns=10} <-1 ->2",
                   "main: 40..50 task {task=1, interval=2} <-2"}));
}

TEST(OmptShortRecords, DependencesOfATaskThatTheThreadHasCreated) {
  using ompt::DependenceType;
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, id_of(1, 1))
      .own_create(10, 7)
      .own_depend(11, 7, DependenceType::kOut, 0x1000)
      .own_create(12, 8)
      .own_depend(13, 8, DependenceType::kIn, 0x1000)
      .own_run(20, 7)
      .return_to(30, kImplicitTask)
      .own_run(40, 8)
      .return_to(50, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @12 create {task=2} ->2",
                   "main: 20..30 task {task=1, queued_ns=10, depends_on=0} <-1 ->3",
                   "main: 40..50 task {task=2, queued_ns=10, depends_on=1} <-2 <-3 ->4"}));
}

TEST(OmptShortRecords, AnEndWhoseSwitchIsLostEndsNoOtherTask) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(5, id_of(1, 1))
      .own_create(10, 7)
      .own_run(20, 7)
      .own_create(30, 8)
      .return_to(40, id_of(1, 7))  // from task 8
      .return_to(50, kImplicitTask);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @10 create {task=1} ->1", "main: @30 create {task=2} ->2",
                   "main: 20..50 task {task=1, queued_ns=10} <-1"}));
}

TEST(OmptShortRecords, ATaskEndsAlsoWhereTheOneBelowIsNotKnown) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .own_create(10, 7)
      .own_run(20, 7)
      .return_to(40, kImplicitTask)
      .own_create(50, 8)
      .own_run(60, 8)
      .return_to(70, kImplicitTask);
  EXPECT_EQ(
      slices_of(capture),
      (Lines{"main: @10 create {task=1} ->1", "main: 20..40 task {task=1, queued_ns=10} <-1",
             "main: @50 create {task=2} ->2", "main: 60..70 task {task=2, queued_ns=10} <-2"}));
}

TEST(OmptShortRecords, FlagsSurviveTheirPacking) {
  for (const uint32_t flags : {0u, 0x4u, 0x1fu, 0xf8000000u, 0x48000010u, ompt::kShortTaskFlags}) {
    const uint64_t word = ompt::code_and_flags(0x7fff'1234'5678, flags);
    EXPECT_EQ(ompt::flags_of(word), flags);
    EXPECT_EQ(word & ompt::kCodeAddress, 0x7fff'1234'5678u);
  }
}

TEST(OmptShortRecords, OnlyIdsOfTheThreadItselfHaveAShortForm) {
  EXPECT_TRUE(ompt::is_own_task(3, id_of(3, 0xffffffff)));
  EXPECT_FALSE(ompt::is_own_task(2, id_of(3, 1)));
  EXPECT_FALSE(ompt::is_own_task(3, id_of(3, 0) | uint64_t{1} << 32));
  EXPECT_FALSE(ompt::is_own_task(3, id_of(3, 1) ^ uint64_t{1} << 60));
  EXPECT_FALSE(ompt::is_own_task(0, 0));
}

}  // namespace
}  // namespace perseid::test
