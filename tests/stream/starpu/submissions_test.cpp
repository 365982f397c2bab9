// tests/stream/starpu/submissions_test.cpp: tasks on their way in, and threads that wait.
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/stream/starpu/starpu_capture.h"

namespace perseid::test {
namespace {

using events::WaitKind;

TEST(StarpuSubmissions, AnArrowLeadsFromEachSubmissionToItsExecution) {
  StarpuCapture starpu(2);
  starpu.main().submit(30, 0xa, {.name = "potrf"}).submit_end(35, 0xa);
  starpu.main().submit(40, 0xb, {.name = "trsm"}).submit_end(48, 0xb);
  starpu.worker(0).exec(60, 0, 0xb).exec_end(90, 0, 0xb);
  starpu.worker(1).exec(50, 1, 0xa).exec_end(70, 1, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "main"),
            (Lines{"10..20 starpu_init", "30..35 submit potrf ->1", "40..48 submit trsm ->2"}));
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"60..90 trsm <-2"});
  EXPECT_EQ(shown_on(reading, "CPU 1"), Lines{"50..70 potrf <-1"});
  EXPECT_EQ(argument_of(reading, "trsm", "submitted_by"), "main");
  EXPECT_EQ(argument_of(reading, "trsm", "wait_ns"), "20");
  EXPECT_EQ(argument_of(reading, "submit trsm", "task"), argument_of(reading, "trsm", "task"));
}

TEST(StarpuSubmissions, AnExecutionBelongsToTheLatestSubmissionOfItsAddress) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(30, 0xa, {.name = "first"});
  starpu.worker(0).exec(50, 0, 0xa).exec_end(60, 0, 0xa).clean(65, 0xa);
  starpu.main().submit_at(100, 0xa, {.name = "second"});
  starpu.worker(0).exec(150, 0, 0xa).exec_end(160, 0, 0xa).clean(165, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(arrows(reading), (Lines{"submit first > first", "submit second > second"}));
  EXPECT_EQ(argument_of(reading, "first", "task"), "1");
  EXPECT_EQ(argument_of(reading, "second", "task"), "2");
}

TEST(StarpuSubmissions, ATaskMayBeOverBeforeItsSubmissionReturns) {
  StarpuCapture starpu(1);
  starpu.main().submit(30, 0xa, {.name = "fast"}).submit_end(200, 0xa);
  starpu.worker(0).exec(50, 0, 0xa).exec_end(60, 0, 0xa).clean(65, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "main").back(), "30..200 submit fast ->1");
  EXPECT_EQ(arrows(reading), Lines{"submit fast > fast"});
  EXPECT_EQ(reading.report.orphan_ends, 0u);
}

TEST(StarpuSubmissions, ARegeneratedTaskHasSeveralExecutions) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(30, 0xa, {.name = "again"});
  for (int64_t at = 50; at < 350; at += 100)
    starpu.worker(0).exec(at, 0, 0xa).exec_end(at + 10, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(arrows(reading), Lines(3, "submit again > again"));
  EXPECT_EQ(reading.sink.fact("starpu_executions"), "3");
  EXPECT_EQ(reading.sink.fact("starpu_submissions"), "1");
}

TEST(StarpuSubmissions, ARefusedTaskSaysWhy) {
  StarpuCapture starpu(1);
  starpu.main().submit(30, 0xa, {.name = "gpu only"}).submit_end(35, 0xa, -ENODEV);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "main").back(), "30..35 submit gpu only");
  EXPECT_EQ(argument_of(reading, "submit gpu only", "refused"), "No such device");
  EXPECT_EQ(reading.sink.fact("starpu_refused_submissions"), "1");
  EXPECT_EQ(reading.sink.fact("starpu_unfinished_tasks"), "");
  EXPECT_EQ(samples(reading, "submitted tasks"), (Lines{"@30 = 1", "@35 = 0"}));
}

TEST(StarpuSubmissions, WhatStarpuSubmitsItselfStandsInsideTheCallThatCausedIt) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit(30, 0xa, {.name = "outer"})
      .submit(40, 0xb, {.name = "partition"})
      .submit_end(50, 0xb)
      .submit_end(60, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "submit partition", "by"), "StarPU");
  EXPECT_EQ(argument_of(reading, "submit outer", "by"), "");
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(StarpuSubmissions, NamesFallBackFromTaskToCodeletToFunction) {
  StarpuCapture starpu(1);
  starpu.main()
      .named(30, events::kCodelet, "", {0xc1, 0, 1})
      .record(30, events::kCodeletFunction, 0, {0xc1, 0, 0xf1})
      .named(30, events::kFunction, "gemm_cpu", {0xf1, 0, 0})
      .named(30, events::kFunction, "", {0xf2, starpu.string("/opt/lib/libapp.so"), 0x1234})
      .submit_at(40, 0x1, {.name = "task's own"})
      .submit_at(60, 0x2, {.codelet = 0xc0de})
      .submit_at(80, 0x3, {.codelet = 0xc1})
      .submit_at(100, 0x4, {.codelet = 0})
      .submit_at(120, 0x5, {.codelet = 0xc2});
  starpu.worker(0).exec(200, 0, 0x5, {.function = 0xf2}).exec_end(210, 0, 0x5);
  const Reading reading = starpu.read();
  EXPECT_EQ(
      shown_on(reading, "main"),
      (Lines{"10..20 starpu_init", "40..50 submit task's own ->1", "60..70 submit codelet ->2",
             "80..90 submit gemm_cpu ->3", "100..110 submit (no codelet) ->4",
             "@110 (no codelet) <-4", "120..130 submit (unnamed) ->6"}));
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"200..210 libapp.so+0x1234 <-6"});
}

TEST(StarpuSubmissions, ATaskWithoutCodeletIsAnInstantWithItsArrows) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(30, 0xa, {.name = "work"})
      .record(45, events::kTaskDeps, 0, {0xb, 0xa})
      .submit_at(50, 0xb, {.codelet = 0})
      .record(65, events::kTaskDeps, 0, {0xc, 0xb})
      .submit_at(70, 0xc, {.name = "after"});
  starpu.worker(0)
      .exec(100, 0, 0xa)
      .exec_end(150, 0, 0xa)
      .push(160, 0xc)
      .push_end(161, 0xc)
      .clean(170, 0xb)
      .exec(180, 0, 0xc)
      .exec_end(190, 0, 0xc);
  const Reading reading = starpu.read();
  EXPECT_EQ(arrows(reading),
            (Lines{"(no codelet) > after", "submit (no codelet) > (no codelet)",
                   "submit after > after", "submit work > work", "work > (no codelet)"}));
  EXPECT_EQ(argument_of(reading, "(no codelet)", "codelet"), "none");
  EXPECT_EQ(reading.sink.fact("starpu_unfinished_tasks"), "");
}

TEST(StarpuSubmissions, WaitsAreSlicesThatSayWhatFor) {
  StarpuCapture starpu(1);
  starpu.main()
      .named(30, events::kDataName, "A", {0xda})
      .submit(40, 0xa, {.name = "a"})
      .wait(41, WaitKind::kForSubmitted, 100)
      .wait_end(48, WaitKind::kForSubmitted)
      .submit_end(50, 0xa)
      .wait(60, WaitKind::kForTask, 0xa)
      .wait_end(70, WaitKind::kForTask)
      .wait(80, WaitKind::kForAll)
      .wait_end(90, WaitKind::kForAll)
      .wait(100, WaitKind::kForData, 0xda, events::kRead | events::kWrite)
      .wait_end(110, WaitKind::kForData)
      .record(115, events::kRelease, 0, {0xda})
      .wait(120, WaitKind::kForTag, 77)
      .wait_end(130, WaitKind::kForTag, -EINVAL);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "main"),
            (Lines{"10..20 starpu_init", "41..48 throttled", "40..50 submit a ->1",
                   "60..70 wait for a task", "80..90 wait for all tasks",
                   "100..110 acquire data ->2", "@115 release data", "120..130 wait for a tag"}));
  EXPECT_EQ(argument_of(reading, "wait for a task", "name"), "a");
  EXPECT_EQ(argument_of(reading, "acquire data", "data"), "A");
  EXPECT_EQ(argument_of(reading, "acquire data", "mode"), "RW");
  EXPECT_EQ(argument_of(reading, "wait for a tag", "tag"), "77");
  EXPECT_EQ(argument_of(reading, "wait for a tag", "result"), "-22");
}

TEST(StarpuSubmissions, CallbacksAndWhatTheySubmitNestOnTheWorker) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(30, 0xa, {.name = "a"})
      .named(45, events::kFunction, "done", {0xcb, 0, 0});
  starpu.worker(0)
      .exec(50, 0, 0xa)
      .exec_end(60, 0, 0xa)
      .record(70, events::kCallbackBegin, 0, {0xa, 0xcb})
      .submit_at(75, 0xb, {.name = "b"})
      .record(95, events::kCallbackEnd, 0, {0xa})
      .clean(97, 0xa)
      .exec(100, 0, 0xb)
      .exec_end(110, 0, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"),
            (Lines{"50..60 a <-1", "75..85 submit b ->3", "70..95 callback", "100..110 b <-3"}));
  EXPECT_EQ(argument_of(reading, "callback", "function"), "done");
  EXPECT_EQ(argument_of(reading, "callback", "name"), "a");
  EXPECT_EQ(argument_of(reading, "submit b", "by"), "");
  EXPECT_EQ(argument_of(reading, "b", "submitted_by"), "CPU 0");
}

}  // namespace
}  // namespace perseid::test
