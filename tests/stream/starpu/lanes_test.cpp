// tests/stream/starpu/lanes_test.cpp: which rows a StarPU program gets, and what they are called.
#include <gtest/gtest.h>

#include "tests/stream/starpu/starpu_capture.h"

namespace perseid::test {
namespace {

using events::halves;

TEST(StarpuLanes, WhoSubmitsComesFirstThenWorkersDevicesMemoryAndOtherThreads) {
  StarpuCapture starpu(2);
  starpu.capture.topology =
      "perseid-topology 1 hwloc 2.9.0\npu 0 core 0 numa 0 package 0\npu 1 core 1 numa 0 package "
      "0\n";
  const uint32_t opencl = static_cast<uint32_t>(events::Architecture::kOpencl);
  starpu.main()
      .record(30, events::kWorker, 2,
              {halves(starpu.string("OpenCL 0 (pthread-x86)"), opencl), halves(1, 0), 1})
      .record(30, events::kMemoryNode, 1, {halves(starpu.string("OpenCL 0"), opencl), 0, 0})
      .record(40, events::kCopyBegin, 0 | 1 << 16, {100, 1, 2})
      .record(50, events::kCopyEnd, 0, {100})
      .submit_at(60, 0xa);
  starpu.thread("driver")
      .record(35, events::kWorkerThread, 2)
      .exec(80, 2, 0xa)
      .exec_end(90, 2, 0xa);
  starpu.thread("reader").stream().begin(70, "read").end(75, 0);
  const Reading reading = starpu.read();
  EXPECT_EQ(reading.sink.track_names(),
            (Lines{"StarPU", "main", "CPU 0 · core 0 · NUMA 0", "CPU 1 · core 1 · NUMA 0",
                   "OpenCL 0 · pthread-x86", "NUMA 0 → OpenCL 0", "reader", "submitted tasks",
                   "ready tasks", "running tasks", "idle workers", "bytes in flight"}));
  EXPECT_EQ(argument_of(reading, "codelet", "memory_node"), "OpenCL 0");
}

TEST(StarpuLanes, AThreadHasItsPlaceBeforeItsFirstTask) {
  StarpuCapture starpu(1);
  StarpuThread& late_thread = starpu.thread("late");
  StreamBuilder& late = late_thread.stream();
  late.role = StreamRole::kSubmitter;  // as the recorder notes it: no records are searched for it
  for (int64_t i = 0; i < 5000; ++i) late.begin(30 + 2 * i, "prepare").end(31 + 2 * i, 0);
  starpu.thread("waiter")
      .wait(40, events::WaitKind::kForAll)
      .wait_end(50'000, events::WaitKind::kForAll);
  starpu.thread("second").submit_at(20'000, 0xb);
  // A task that submits another makes no submitter of its worker.
  starpu.worker(0).submit_at(30'000, 0xc);
  late_thread.submit_at(40'000, 0xd);
  const Reading reading = starpu.read();
  EXPECT_EQ(reading.sink.group_at_first_slice("late"), TrackGroup::kSubmitters);
  EXPECT_EQ(reading.sink.group_at_first_slice("second"), TrackGroup::kSubmitters);
  EXPECT_EQ(reading.sink.group_at_first_slice("waiter"), TrackGroup::kThreads);
  EXPECT_EQ(reading.sink.group_at_first_slice("CPU 0"), TrackGroup::kWorkers);
}

TEST(StarpuLanes, WithoutARoleTheFirstRecordsTell) {
  StarpuCapture starpu(1);
  StarpuThread& late = starpu.thread("late");
  for (int64_t i = 0; i < 600; ++i) {
    late.stream().begin(30 + 2 * i, "prepare").end(31 + 2 * i, 0);
  }
  late.submit_at(40'000, 0xd);
  starpu.thread("second").submit_at(20'000, 0xb);
  // What a recorder noted counts, whatever the records say.
  StarpuThread& plain = starpu.thread("plain");
  plain.stream().role = StreamRole::kPlain;
  plain.submit_at(20'000, 0xe);
  const Reading reading = starpu.read();
  EXPECT_EQ(reading.sink.group_at_first_slice("late"), TrackGroup::kThreads);
  EXPECT_EQ(reading.sink.group_at_first_slice("second"), TrackGroup::kSubmitters);
  EXPECT_EQ(reading.sink.group_at_first_slice("plain"), TrackGroup::kThreads);
}

TEST(StarpuLanes, LookingForSubmittersFindsNoDamageTwice) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(60, 0xa);
  StreamBuilder& reader = starpu.thread("reader").stream();
  reader.begin(70, "read").end(75, 0).cut().begin(80, "read").end(85, 0).cut().instant(90, "done");
  reader.dropped_chunks = {1};
  starpu.capture.write();
  EXPECT_EQ(read_capture(starpu.capture.path()).damage_count, 1u);
}

TEST(StarpuLanes, TheRowOfStarpuTellsWhatItIs) {
  StarpuCapture starpu(2, "dmda");
  starpu.main()
      .record(30, events::kPauseWorkers, 0)
      .record(50, events::kResumeWorkers, 0)
      .record(70, events::kShutdownBegin, 0)
      .record(90, events::kShutdownEnd, 0);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "StarPU"), (Lines{"30..50 workers paused", "20..70 StarPU"}));
  EXPECT_EQ(shown_on(reading, "main"), (Lines{"10..20 starpu_init", "70..90 starpu_shutdown"}));
  EXPECT_EQ(argument_of(reading, "StarPU", "version"), "1.3.10");
  EXPECT_EQ(argument_of(reading, "StarPU", "policy"), "dmda");
  EXPECT_EQ(argument_of(reading, "StarPU", "workers"), "2");
  EXPECT_EQ(argument_of(reading, "StarPU", "not_seen"), "");
  EXPECT_EQ(reading.sink.fact("starpu"), "1.3.10");
}

TEST(StarpuLanes, WhatTheHooksCannotSeeIsSaid) {
  StarpuCapture starpu(1);
  starpu.main().named(30, events::kRuntime, "/opt/libstarpu.so", {1, events::kSeesTasks, 1});
  EXPECT_EQ(starpu.read().sink.fact("starpu_not_seen"),
            "details of tasks, executions, scheduling, callbacks");
}

TEST(StarpuLanes, EachStartOfStarpuHasItsOwnWorkers) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(30, 0xa, {.name = "first"});
  starpu.worker(0).exec(50, 0, 0xa).exec_end(60, 0, 0xa);
  starpu.main().record(100, events::kShutdownBegin, 0).record(110, events::kShutdownEnd, 0);
  starpu.start(200, 1, "eager");
  starpu.main().submit_at(230, 0xa, {.name = "second"});
  starpu.worker(0).exec(250, 0, 0xa).exec_end(260, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"50..60 first <-1"});
  EXPECT_EQ(shown_on(reading, "CPU 0 · run 2"), Lines{"250..260 second <-3"});
  EXPECT_EQ(shown_on(reading, "StarPU"), (Lines{"20..100 StarPU", "210..260 StarPU"}));
  EXPECT_EQ(reading.sink.track_names()[2], "CPU 0");
  EXPECT_EQ(reading.sink.track_names()[3], "CPU 0 · run 2");
}

TEST(StarpuLanes, AWorkerThatGotNoTaskIsShown) {
  StarpuCapture starpu(2);
  const uint32_t cpu = static_cast<uint32_t>(events::Architecture::kCpu);
  starpu.main()
      .record(30, events::kWorker, 2, {halves(starpu.string("CPU 2"), cpu), 0, 0})
      .submit_at(40, 0xa, {.name = "a"});
  starpu.worker(0).exec(50, 0, 0xa).exec_end(60, 0, 0xa);
  starpu.main().record(100, events::kShutdownBegin, 0).record(110, events::kShutdownEnd, 0);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"50..60 a <-1"});
  EXPECT_EQ(shown_on(reading, "CPU 1"), Lines{"20..110 no task"});  // its thread asked in vain
  EXPECT_EQ(shown_on(reading, "CPU 2"), Lines{"30..110 no task"});  // it has not even a thread
}

TEST(StarpuLanes, StreamsOfADeviceThatShareAThreadHaveRowsOfTheirOwn) {
  StarpuCapture starpu(0);
  const uint32_t cuda = static_cast<uint32_t>(events::Architecture::kCuda);
  for (uint32_t i = 0; i < 2; ++i) {
    starpu.main().record(30, events::kWorker, i,
                         {halves(starpu.string(i == 0 ? "CUDA 0.0" : "CUDA 0.1"), cuda), 0, 0});
  }
  starpu.main().submit_at(40, 0xa, {.name = "a"}).submit_at(60, 0xb, {.name = "b"});
  starpu.thread("driver")
      .exec(80, 0, 0xa)
      .exec_end(90, 0, 0xa)
      .exec(95, 1, 0xb)
      .exec_end(99, 1, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CUDA 0.0"), Lines{"80..90 a <-1"});
  EXPECT_EQ(shown_on(reading, "CUDA 0.1"), Lines{"95..99 b <-2"});
}

TEST(StarpuLanes, AProgramsOwnAnnotationsNestInItsTasks) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(30, 0xa, {.name = "a"});
  starpu.worker(0).exec(50, 0, 0xa);
  starpu.worker(0).stream().begin(60, "inner loop").end(70, 0);
  starpu.worker(0).exec_end(80, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), (Lines{"60..70 inner loop", "50..80 a <-1"}));
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(StarpuLanes, IterationsAndUserEventsOfTheProgramAppear) {
  StarpuCapture starpu(1);
  starpu.main()
      .record(30, events::kIterationPush, 0, {7})
      .record(40, events::kIterationPush, 0, {2})
      .submit_at(50, 0xa, {.name = "a"})
      .record(70, events::kIterationPop, 0)
      .record(80, events::kIterationPop, 0)
      .record(90, events::kUserEvent, 0, {42})
      .named(95, events::kUserText, "checkpoint written")
      .record(97, events::kFxtStart, 0);
  starpu.worker(0).exec(100, 0, 0xa).exec_end(110, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "Iterations"), (Lines{"40..70 iteration 2", "30..80 iteration 7"}));
  EXPECT_EQ(argument_of(reading, "a", "iteration"), "7.2");
  EXPECT_EQ(argument_of(reading, "user event", "code"), "42");
  const Lines on_main = shown_on(reading, "main");
  EXPECT_EQ(on_main.back(), "@97 starpu_fxt_start_profiling");
  EXPECT_EQ(on_main[on_main.size() - 2], "@95 checkpoint written");
}

}  // namespace
}  // namespace perseid::test
