// tests/stream/starpu/executions_test.cpp: tasks on workers.
#include <gtest/gtest.h>

#include <string>

#include "tests/stream/starpu/starpu_capture.h"

namespace perseid::test {
namespace {

using events::kRead;
using events::kWrite;

TEST(StarpuExecutions, PhasesStandAroundTheExecution) {
  StarpuCapture starpu(1, "dmda");
  starpu.main().submit_at(100, 0xa, {.name = "gemm"});
  starpu.main().push(1000, 0xa).push_end(3000, 0xa);
  starpu.worker(0)
      .pop(5000, 0, 0xa)
      .record(7000, events::kCopyBegin, 1 << 16, {64, 0, 0})
      .record(8000, events::kCopyEnd, 0, {64})
      .pre_exec(9000, 0, 0xa)
      .exec(9100, 0, 0xa)
      .exec_end(20'000, 0, 0xa)
      .record(20'500, events::kCopyBegin, 1, {64, 0, 0})
      .record(21'000, events::kCopyEnd, 0, {64})
      .post_exec(22'000, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"),
            (Lines{"5000..7000 prepare task", "7000..9000 fetch input", "9100..20000 gemm <-1",
                   "20000..22000 push output"}));
  EXPECT_EQ(shown_on(reading, "main").back(), "1000..3000 push to scheduler");
  EXPECT_EQ(argument_of(reading, "gemm", "wait_ns"), "9000");
  EXPECT_EQ(argument_of(reading, "gemm", "wait_dependencies_ns"), "900");
  EXPECT_EQ(argument_of(reading, "gemm", "wait_queue_ns"), "4000");
  EXPECT_EQ(argument_of(reading, "gemm", "wait_fetch_ns"), "2000");
  EXPECT_EQ(argument_of(reading, "gemm", "pushed_by"), "main");
  EXPECT_EQ(argument_of(reading, "fetch input", "task"), "1");
}

TEST(StarpuExecutions, WithoutACopyNobodyWaitsForData) {
  StarpuCapture starpu(1, "dmda");
  starpu.main().submit_at(100, 0xa, {.name = "gemm"});
  starpu.worker(0)
      .pop(5000, 0, 0xa)
      .pre_exec(9000, 0, 0xa)
      .exec(9100, 0, 0xa)
      .exec_end(20'000, 0, 0xa)
      .post_exec(22'000, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), (Lines{"5000..9000 prepare task", "9100..20000 gemm <-1",
                                               "20000..22000 complete task"}));
  EXPECT_EQ(argument_of(reading, "gemm", "wait_fetch_ns"), "");
}

TEST(StarpuExecutions, PhasesBelowAMicrosecondAreArgumentsOnly) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(100, 0xa, {.name = "gemm"}).push(110, 0xa).push_end(200, 0xa);
  starpu.worker(0)
      .pop(300, 0, 0xa)
      .record(300, events::kCopyBegin, 1 << 16, {64, 0, 0})
      .record(350, events::kCopyEnd, 0, {64})
      .pre_exec(400, 0, 0xa)
      .exec(500, 0, 0xa)
      .exec_end(600, 0, 0xa)
      .post_exec(700, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"500..600 gemm <-1"});
  EXPECT_EQ(argument_of(reading, "gemm", "wait_fetch_ns"), "100");
}

TEST(StarpuExecutions, EverythingKnownOfATaskIsAnArgument) {
  StarpuCapture starpu(1, "dmda");
  starpu.main()
      .named(30, events::kCodelet, "cl_gemm", {0xc1, starpu.string("gemm_model"), 1})
      .named(30, events::kFunction, "gemm_cpu", {0xf1, 0, 0})
      .record(30, events::kDataRegister, 0, {0xda, 800, 0x1000, 0})
      .named(31, events::kDataName, "A", {0xda})
      .record(31, events::kDataCoordinates, 2, {0xda, 2, 1})
      .record(31, events::kDataPartition, 1, {0xda, 0xdb, 400, 0x1000, 0xdc, 400, 0x1190})
      .submit_at(
          100, 0xa,
          {.name = "gemm 7",
           .codelet = 0xc1,
           .priority = -3,
           .context = 2,
           .flags = events::kHasTag,
           .tag = 99,
           .flops = 2e6,
           .uses = {{0xda, kRead, 800}, {0xdc, kRead | kWrite, 400}, {0xee, events::kScratch, 8}}});
  starpu.worker(0)
      .exec(200, 0, 0xa,
            {.function = 0xf1,
             .implementation = 1,
             .predicted_us = 1.0,
             .predicted_transfer_us = 0.5,
             .footprint = 0xabc})
      .exec_end(1700, 0, 0xa);
  const Reading reading = starpu.read();
  const auto argument = [&](std::string_view key) { return argument_of(reading, "gemm 7", key); };
  EXPECT_EQ(argument("task"), "1");
  EXPECT_EQ(argument("codelet"), "cl_gemm");
  EXPECT_EQ(argument("function"), "gemm_cpu");
  EXPECT_EQ(argument("implementation"), "1");
  EXPECT_EQ(argument("model"), "gemm_model");
  EXPECT_EQ(argument("priority"), "-3");
  EXPECT_EQ(argument("context"), "2");
  EXPECT_EQ(argument("tag"), "99");
  EXPECT_EQ(argument("data_0"), "R A(2,1) 800 B");
  EXPECT_EQ(argument("data_1"), "RW A(2,1)[1] 400 B");
  EXPECT_EQ(argument("data_2"), "scratch 0xee 8 B");
  EXPECT_EQ(argument("data_bytes"), "1208");
  EXPECT_EQ(argument("footprint"), "00000abc");
  EXPECT_EQ(argument("flops"), "2000000");
  EXPECT_EQ(argument("predicted_ns"), "1000");
  EXPECT_EQ(argument("longer_than_predicted_percent"), "50");
  EXPECT_EQ(argument("predicted_transfer_ns"), "500");
  EXPECT_EQ(argument("memory_node"), "NUMA 0");
}

TEST(StarpuExecutions, AccessesBeyondOneRecordAreShownToo) {
  StarpuCapture starpu(1);
  starpu.main().submit(100, 0xa, {.name = "many", .uses = {{0xd0, kRead, 1}}});
  Words more = {0xa};
  for (uint64_t i = 1; i < 20; ++i) {
    more.push_back(0xd0 + i);
    more.push_back(events::access_word(kRead, 10));
  }
  starpu.main().record(101, events::kMoreAccesses, 0, more).submit_end(110, 0xa);
  starpu.worker(0).exec(200, 0, 0xa).exec_end(300, 0, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "many", "data_15"), "R 0xdf 10 B");
  EXPECT_EQ(argument_of(reading, "many", "data_count"), "20");
  EXPECT_EQ(argument_of(reading, "many", "data_bytes"), "191");
}

TEST(StarpuExecutions, AnAsynchronousKernelEndsAtItsTrueEnd) {
  StarpuCapture starpu(1);
  starpu.main().submit_at(100, 0xa, {.name = "k1"}).submit_at(120, 0xb, {.name = "k2"});
  const Executed async{.flags = events::kExecAsync};
  starpu.worker(0)
      .exec(200, 0, 0xa, async)
      .exec_end(210, 0, 0xa)
      .exec(220, 0, 0xb, async)
      .exec_end(230, 0, 0xb)
      .post_exec(5000, 0, 0xa)
      .post_exec(6000, 0, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"200..5000 k1 <-1"});
  EXPECT_EQ(shown_on(reading, "CPU 0 (2)"), Lines{"220..6000 k2 <-2"});
  EXPECT_EQ(argument_of(reading, "k1", "function_ns"), "10");
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(StarpuExecutions, EveryRankOfAParallelTaskIsShown) {
  StarpuCapture starpu(2, "pheft");
  starpu.main()
      .record(30, events::kCombinedWorker, 2, {0, 1})
      .submit_at(100, 0xa, {.name = "spmd", .uses = {{0xda, kWrite}}})
      .submit_at(120, 0xb, {.name = "after", .uses = {{0xda, kRead}}})
      .push(130, 0xa)
      .push_end(131, 0xa);
  const Executed rank{.combined_worker = 2, .size = 2};
  // The hooks of the policy see private copies, 0xe0 and 0xe1.
  for (uint32_t i = 0; i < 2; ++i) {
    starpu.worker(i)
        .pop(2000 + i, i, 0xe0 + i)
        .pre_exec(4000 + i, i, 0xe0 + i)
        .exec(5000 + i, i, 0xa, rank)
        .exec_end(9000 + i, i, 0xa)
        .post_exec(12'000 + i, i, 0xe0 + i);
  }
  starpu.worker(0).exec(13'000, 0, 0xb).exec_end(14'000, 0, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(arrows(reading), (Lines{"spmd > after", "submit after > after", "submit spmd > spmd",
                                    "submit spmd > spmd"}));
  EXPECT_EQ(shown_on(reading, "CPU 1"), (Lines{"2001..4001 prepare task", "5001..9001 spmd <-1",
                                               "9001..12001 parallel barrier"}));
  EXPECT_EQ(argument_of(reading, "spmd", "parallel_workers"), "2");
  EXPECT_EQ(samples(reading, "submitted tasks"),
            (Lines{"@100 = 1", "@120 = 2", "@9001 = 1", "@14000 = 0"}));
  EXPECT_EQ(samples(reading, "ready tasks"), (Lines{"@130 = 1", "@5000 = 0"}));
}

TEST(StarpuExecutions, AMemberOfAForkJoinTaskIsShownHoweverLateItComes) {
  // The member's hooks around the master's function, which takes from 5000 to 6000. The master
  // passes the barrier at the end at 12000, when the member has come.
  struct Member {
    int64_t comes_ns, leaves_ns;
  };
  for (const Member& member : {Member{4000, 12'100}, Member{4000, 11'900}, Member{7000, 12'100}}) {
    StarpuCapture starpu(2, "peager");
    starpu.main()
        .record(30, events::kCombinedWorker, 2, {0, 1})
        .submit_at(100, 0xa, {.name = "team"});
    starpu.worker(0)
        .pop(2000, 0, 0xe0)
        .pre_exec(4500, 0, 0xe0)
        .exec(5000, 0, 0xa, {.combined_worker = 2, .size = 2})
        .exec_end(6000, 0, 0xa)
        .post_exec(12'000, 0, 0xe0);
    starpu.worker(1)
        .pop(member.comes_ns - 500, 1, 0xe1)
        .pre_exec(member.comes_ns, 1, 0xe1)
        .post_exec(member.leaves_ns, 1, 0xe1);
    const Reading reading = starpu.read();
    EXPECT_EQ(shown_on(reading, "CPU 1"), Lines{std::to_string(member.comes_ns) + ".." +
                                                std::to_string(member.leaves_ns) + " team"});
  }
}

TEST(StarpuExecutions, TheTeamOfAForkJoinTaskIsShown) {
  StarpuCapture starpu(2, "pheft");
  starpu.main()
      .record(30, events::kCombinedWorker, 2, {0, 1})
      .submit_at(100, 0xa, {.name = "fork"});
  starpu.worker(0)
      .pre_exec(4000, 0, 0xe0)
      .exec(5000, 0, 0xa, {.combined_worker = 2, .size = 2})
      .exec_end(9000, 0, 0xa)
      .post_exec(9500, 0, 0xe0);
  starpu.worker(1).pre_exec(4500, 1, 0xe1).post_exec(8900, 1, 0xe1);
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "CPU 0"), Lines{"5000..9000 fork <-1"});
  EXPECT_EQ(shown_on(reading, "CPU 1"), Lines{"4500..8900 fork"});
  EXPECT_EQ(reading.sink.fact("starpu_executions"), "1");
}

TEST(StarpuExecutions, AStolenTaskShowsFromWhomAndSinceWhen) {
  StarpuCapture starpu(2, "lws");
  starpu.main().submit_at(100, 0xa, {.name = "mine"}).submit_at(120, 0xb, {.name = "stolen"});
  starpu.worker(0).push(200, 0xa).push_end(210, 0xa).push(220, 0xb).push_end(230, 0xb);
  starpu.worker(0).exec(300, 0, 0xa).exec_end(400, 0, 0xa);
  starpu.worker(1).exec(310, 1, 0xb).exec_end(390, 1, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "stolen", "stolen_from"), "CPU 0");
  EXPECT_EQ(argument_of(reading, "mine", "stolen_from"), "");
  EXPECT_EQ(arrows(reading), (Lines{"queued, later stolen > stolen", "submit mine > mine",
                                    "submit stolen > stolen"}));
  EXPECT_EQ(argument_of(reading, "queued, later stolen", "by"), "CPU 1");
}

TEST(StarpuExecutions, WhereQueuesAreSharedNothingIsStolen) {
  StarpuCapture starpu(2, "eager");
  starpu.main().submit_at(100, 0xa, {.name = "a"});
  starpu.worker(0).push(200, 0xa).push_end(210, 0xa);
  starpu.worker(1).exec(310, 1, 0xa).exec_end(390, 1, 0xa);
  EXPECT_EQ(argument_of(starpu.read(), "a", "stolen_from"), "");
}

TEST(StarpuCounters, FollowTasksAndWorkers) {
  StarpuCapture starpu(2, "eager");
  starpu.main()
      .submit_at(100, 0xa, {.name = "a"})
      .submit_at(120, 0xb, {.name = "b"})
      .push(140, 0xa)
      .push_end(141, 0xa)
      .push(150, 0xb)
      .push_end(151, 0xb);
  starpu.worker(0)
      .pop(200, 0, 0xa)
      .exec(210, 0, 0xa)
      .exec_end(300, 0, 0xa)
      .record(310, events::kIdle, 0, {0});
  starpu.worker(1).pop(220, 1, 0xb).exec(230, 1, 0xb).exec_end(400, 1, 0xb);
  const Reading reading = starpu.read();
  EXPECT_EQ(samples(reading, "submitted tasks"),
            (Lines{"@100 = 1", "@120 = 2", "@300 = 1", "@400 = 0"}));
  EXPECT_EQ(samples(reading, "ready tasks"),
            (Lines{"@140 = 1", "@150 = 2", "@200 = 1", "@220 = 0"}));
  EXPECT_EQ(samples(reading, "running tasks"),
            (Lines{"@210 = 1", "@230 = 2", "@300 = 1", "@400 = 0"}));
  EXPECT_EQ(samples(reading, "idle workers"),
            (Lines{"@20 = 2", "@200 = 1", "@220 = 0", "@300 = 1", "@400 = 2", "@400 = 0"}));
}

}  // namespace
}  // namespace perseid::test
