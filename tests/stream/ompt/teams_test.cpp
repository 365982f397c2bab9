// tests/stream/ompt/teams_test.cpp: parallel regions, barriers, mutexes and streams with holes.
#include <gtest/gtest.h>

#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using ompt::SyncKind;
using ompt::ThreadType;
using Lines = std::vector<std::string>;

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

TEST(OmptTeams, ARegionIsShownOnItsOpenerAndPointsToItsWorkers) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .thread(1, ThreadType::kInitial)
      .initial(2, 1)
      .parallel(10, 5)
      .implicit(12, 6, 5, 0)
      .sync(50, SyncKind::kBarrierImplicit)
      .sync_end(60, SyncKind::kBarrierImplicit)
      .implicit_end(61)
      .parallel_end(62, 5);
  OmptStream(capture.stream(2, 4243))
      .thread(11, ThreadType::kWorker)
      .implicit(20, 7, 5, 1)
      .sync(40, SyncKind::kBarrierImplicit)
      .sync_end(55, SyncKind::kBarrierImplicit)
      .implicit_end(56);
  EXPECT_EQ(slices_of(capture), (Lines{"OpenMP thread 1: 40..55 barrier {waited_ns=15}",
                                       "OpenMP thread 1: 20..56 parallel {thread=1} <-1",
                                       "main: 50..60 barrier {waited_ns=10}",
                                       "main: 10..62 parallel {threads=2} ->1"}));
}

TEST(OmptTeams, AMemberShowsTheProcessorItBeganOn) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .thread(1, ThreadType::kInitial)
      .initial(2, 1)
      .parallel(10, 5)
      .implicit(12, 6, 5, 0, 2, 1)
      .implicit_end(61)
      .parallel_end(62, 5);
  OmptStream(capture.stream(2, 4243))
      .thread(11, ThreadType::kWorker)
      .implicit(20, 7, 5, 1, 2, 8)
      .implicit_end(56);
  EXPECT_EQ(slices_of(capture),
            (Lines{"OpenMP thread 1: 20..56 parallel {thread=1, processor=7} <-1",
                   "main: 10..62 parallel {threads=2} ->1"}));
}

TEST(OmptTeams, ThreadsStandInTheOrderOfTheirNumbers) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, capture.pid, "main"))
      .initial(2, 1)
      .parallel(10, 5)
      .implicit(12, 6, 5, 0)
      .implicit_end(61)
      .parallel_end(62, 5);
  capture.stream(2, 4243, "logger").begin(3, "flush").end(4, 0);
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t number = 3 - i;  // the last one came first
    OmptStream(capture.stream(3 + i, 4244 + i))
        .thread(11, ThreadType::kWorker)
        .implicit(20 + i, 7 + i, 5, number)
        .implicit_end(56);
  }
  capture.write();
  Lines threads = read_capture(capture.path()).sink.track_names();
  threads.resize(5);
  EXPECT_EQ(threads,
            (Lines{"main", "OpenMP thread 1", "OpenMP thread 2", "OpenMP thread 3", "logger"}));
}

TEST(OmptTeams, AWorkerThatTellsTheEndMuchLaterLeavesWithTheRegion) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .parallel(10, 5)
      .implicit(12, 6, 5, 0)
      .implicit_end(61)
      .parallel_end(62, 5)
      .parallel(1000, 8)
      .implicit(1001, 9, 8, 0)
      .implicit_end(1040)
      .parallel_end(1050, 8);
  OmptStream(capture.stream(2, 4243))
      .thread(11, ThreadType::kWorker)
      .implicit(20, 7, 5, 1)
      .sync(40, SyncKind::kBarrierImplicit)
      .sync_end(1005, SyncKind::kBarrierImplicit)
      .implicit_end(1006)
      .implicit(1010, 10, 8, 1)
      .sync(1030, SyncKind::kBarrierImplicit);
  EXPECT_EQ(slices_of(capture), (Lines{"OpenMP thread 1: 40..62 barrier {waited_ns=22}",
                                       "OpenMP thread 1: 20..62 parallel {thread=1} <-1",
                                       "main: 10..62 parallel {threads=2} ->1",
                                       "OpenMP thread 1: 1030..1050 barrier {waited_ns=20}",
                                       "OpenMP thread 1: 1010..1050 parallel {thread=1} <-2",
                                       "main: 1000..1050 parallel {threads=2} ->2"}));
}

TEST(OmptTeams, AnEndWithTheIdOfAnotherThreadsRegionEndsTheThreadsOwn) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .parallel(10, 5)
      .implicit(12, 6, 5, 0, 1)
      .implicit_end(29)
      .parallel_end(30, 8);
  OmptStream(capture.stream(2, 4243, "second"))
      .parallel(20, 8)
      .implicit(35, 9, 8, 0, 1)
      .implicit_end(49)
      .parallel_end(50, 8);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: 10..30 parallel {threads=1}", "second: 20..50 parallel {threads=1}"}));
}

TEST(OmptTeams, AnEndWhoseBeginIsLostLeavesTheInitialTask) {
  using ompt::DependenceType;
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .implicit_end(10)
      .create(20, 7)
      .depend(21, 7, {{DependenceType::kOut, 0x1000}})
      .create(22, 8)
      .depend(23, 8, {{DependenceType::kIn, 0x1000}})
      .run(30, 7)
      .end(40, 7, 0)
      .run(50, 8)
      .end(60, 8, 0)
      .implicit_end(70, ompt::kTaskInitial);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: @20 create {task=1} ->1", "main: @22 create {task=2} ->2",
                   "main: 30..40 task {task=1, queued_ns=10, depends_on=0} <-1 ->3",
                   "main: 50..60 task {task=2, queued_ns=10, depends_on=1} <-2 <-3 ->4"}));
}

/// LLVM's runtime never tells of some of them; others may.
TEST(OmptTeams, EachKindOfWorkHasItsName) {
  using ompt::WorkKind;
  const std::pair<WorkKind, std::string> kinds[] = {
      {WorkKind::kLoop, "loop"},
      {WorkKind::kSections, "sections"},
      {WorkKind::kSingleExecutor, "single"},
      {WorkKind::kWorkshare, "workshare"},
      {WorkKind::kDistribute, "distribute"},
      {WorkKind::kTaskloop, "taskloop"},
      {WorkKind::kScope, "scope"},
      {WorkKind::kLoopStatic, "loop static"},
      {WorkKind::kLoopDynamic, "loop dynamic"},
      {WorkKind::kLoopGuided, "loop guided"},
      {WorkKind::kLoopOther, "loop"},
  };
  for (const auto& [kind, name] : kinds) {
    const auto number = static_cast<uint32_t>(kind);
    CaptureBuilder capture;
    OmptStream(capture.stream(1, 4242, "main"))
        .initial(2, 1)
        .add(10, ompt::kWorkBegin, number, {0, 0})
        .add(30, ompt::kWorkEnd, number);
    const Lines lines = slices_of(capture);
    ASSERT_EQ(lines.size(), 1u) << name;
    EXPECT_EQ(lines[0].substr(0, lines[0].find(" {")), "main: 10..30 " + name);
  }
}

TEST(OmptTeams, EachKindOfMutexHasItsNames) {
  using ompt::MutexKind;
  const std::pair<MutexKind, std::string> kinds[] = {
      {MutexKind::kLock, "lock"},          {MutexKind::kTestLock, "lock"},
      {MutexKind::kNestLock, "nest lock"}, {MutexKind::kTestNestLock, "nest lock"},
      {MutexKind::kCritical, "critical"},  {MutexKind::kAtomic, "atomic"},
      {MutexKind::kOrdered, "ordered"},
  };
  for (const auto& [kind, name] : kinds) {
    const auto number = static_cast<uint32_t>(kind);
    CaptureBuilder capture;
    OmptStream(capture.stream(1, 4242, "main"))
        .initial(2, 1)
        .add(1000, ompt::kMutexAcquire, number, {0x10, 0})
        .add(3000, ompt::kMutexAcquired, number, {0x10})
        .add(4000, ompt::kMutexReleased, number, {0x10});
    EXPECT_EQ(slices_of(capture),
              (Lines{"main: 1000..3000 wait for " + name + " {mutex=0x10}",
                     "main: 3000..4000 " + name + " {mutex=0x10, waited_ns=2000}"}));
  }
}

TEST(OmptTeams, WorkWithoutAnEndIsOverAtTheBarrier) {
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .add(10, ompt::kWorkBegin, static_cast<uint32_t>(ompt::WorkKind::kSingleExecutor), {0, 1})
      .sync(30, SyncKind::kBarrierImplicitWorkshare)
      .sync_end(40, SyncKind::kBarrierImplicitWorkshare);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: 10..30 single", "main: 30..40 barrier {waited_ns=10}"}));
}

TEST(OmptTeams, ChunksFollowEachOtherInsideTheirLoop) {
  constexpr auto kChunk = static_cast<uint32_t>(ompt::DispatchKind::kLoopChunk);
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .add(10, ompt::kWorkBegin, static_cast<uint32_t>(ompt::WorkKind::kLoopDynamic), {0, 100})
      .add(11, ompt::kDispatch, kChunk, {0, 10})
      .add(20, ompt::kDispatch, kChunk, {10, 10})
      .add(30, ompt::kWorkEnd, static_cast<uint32_t>(ompt::WorkKind::kLoopDynamic));
  EXPECT_EQ(slices_of(capture), (Lines{"main: 11..20 chunk {first_iteration=0, iterations=10}",
                                       "main: 20..30 chunk {first_iteration=10, iterations=10}",
                                       "main: 10..30 loop dynamic {iterations=100}"}));
}

TEST(OmptTeams, AMutexShowsWhoWaitsAndWhoHoldsIt) {
  constexpr auto kCritical = static_cast<uint32_t>(ompt::MutexKind::kCritical);
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .add(100, ompt::kMutexAcquire, kCritical, {0xa0, 0})
      .add(200, ompt::kMutexAcquired, kCritical, {0xa0})
      .add(300, ompt::kMutexReleased, kCritical, {0xa0})
      .add(1000, ompt::kMutexAcquire, kCritical, {0xa0, 0})
      .add(9000, ompt::kMutexAcquired, kCritical, {0xa0})
      .add(9500, ompt::kMutexReleased, kCritical, {0xa0})
      .add(10000, ompt::kMutexAcquire, kCritical, {0xb0, 0});
  OmptStream(capture.stream(2, 4243, "other")).initial(20000, 2);
  EXPECT_EQ(slices_of(capture),
            (Lines{"main: 200..300 critical {mutex=0xa0, waited_ns=100}",
                   "main: 1000..9000 wait for critical {mutex=0xa0}",
                   "main: 9000..9500 critical {mutex=0xa0, waited_ns=8000}",
                   "main: 10000..20000 wait for critical {mutex=0xb0, unfinished=true}"}));
}

TEST(OmptTeams, LocksMayBeReleasedInAnyOrder) {
  constexpr auto kLock = static_cast<uint32_t>(ompt::MutexKind::kLock);
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .initial(2, 1)
      .add(10, ompt::kMutexAcquired, kLock, {0xa})
      .add(20, ompt::kMutexAcquired, kLock, {0xb})
      .add(30, ompt::kMutexReleased, kLock, {0xa})
      .add(40, ompt::kMutexReleased, kLock, {0xb});
  EXPECT_EQ(slices_of(capture), (Lines{"main: 10..30 lock {mutex=0xa, waited_ns=0}",
                                       "main (2): 20..40 lock {mutex=0xb, waited_ns=0}"}));
}

TEST(OmptTeams, IdleThreadsAreThoseThatWaitOrHaveNoWork) {
  constexpr int64_t kApart = 100'000;
  CaptureBuilder capture;
  OmptStream(capture.stream(1, 4242, "main"))
      .thread(1 * kApart, ThreadType::kInitial)
      .initial(1 * kApart + 1, 1)
      .parallel(3 * kApart, 5)
      .implicit(3 * kApart + 1, 6, 5, 0)
      .implicit_end(7 * kApart)
      .parallel_end(8 * kApart, 5);
  OmptStream(capture.stream(2, 4243))
      .thread(2 * kApart, ThreadType::kWorker)
      .implicit(4 * kApart, 7, 5, 1)
      .sync(6 * kApart, SyncKind::kBarrierImplicit);
  capture.write();
  const Reading reading = read_capture(capture.path());
  Lines idle;
  for (const std::string& line : reading.sink.lines) {
    if (line.starts_with("OpenMP threads idle")) idle.push_back(line);
  }
  EXPECT_EQ(idle, (Lines{"OpenMP threads idle: @200000 = 1", "OpenMP threads idle: @400000 = 0",
                         "OpenMP threads idle: @600000 = 1"}));
}

/// Whatever is missing, nothing overlaps, nothing crashes, and the next region is whole again.
TEST(OmptTeams, ARecordMissingAnywhereHarmsOnlyItsOwnRegion) {
  struct Item {
    int64_t at;
    ompt::Event event;
    uint32_t arg;
    Words words;
  };
  const auto region = [](std::vector<Item>& to, int64_t at, uint64_t id) {
    const auto complete = static_cast<uint32_t>(ompt::TaskStatus::kComplete);
    const auto taskwait = static_cast<uint32_t>(SyncKind::kTaskwait);
    const auto barrier = static_cast<uint32_t>(SyncKind::kBarrierImplicit);
    to.push_back({at, ompt::kParallelBegin, 1, {id, 0}});
    to.push_back({at + 1, ompt::kImplicitBegin, 0, {id + 1, id, 1, ompt::kTaskImplicit}});
    to.push_back({at + 2, ompt::kTaskCreate, ompt::kTaskExplicit, {id + 2, 0}});
    to.push_back({at + 3, ompt::kDependences, 1, {id + 2, uint64_t{3} << 56 | 0x10}});
    to.push_back({at + 4, ompt::kSyncBegin, taskwait, {0}});
    to.push_back({at + 5, ompt::kTaskSwitch, 7, {id + 2}});
    to.push_back({at + 6, ompt::kTaskEnd, complete, {id + 2, id + 1}});
    to.push_back({at + 7, ompt::kSyncEnd, taskwait, {}});
    to.push_back({at + 8, ompt::kSyncBegin, barrier, {0}});
    to.push_back({at + 9, ompt::kSyncEnd, barrier, {}});
    to.push_back({at + 10, ompt::kImplicitEnd, 0, {id + 1}});
    to.push_back({at + 11, ompt::kParallelEnd, 0, {id}});
  };
  std::vector<Item> items;
  region(items, 100, 10);
  const size_t damaged = items.size();
  region(items, 200, 20);
  for (size_t missing = 0; missing < damaged; ++missing) {
    CaptureBuilder capture;
    OmptStream stream(capture.stream(1, 4242, "main"));
    stream.initial(2, 1);
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != missing) stream.add(items[i].at, items[i].event, items[i].arg, items[i].words);
    }
    const Lines lines = slices_of(capture);
    ASSERT_GE(lines.size(), 5u) << missing;
    const auto has = [&](const std::string& wanted) {
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.starts_with(wanted); });
    };
    EXPECT_TRUE(has("main: 200..211 parallel {threads=1}")) << missing;
    EXPECT_TRUE(has("main: 205..206 task {")) << missing;
    EXPECT_TRUE(has("main: 204..207 taskwait {")) << missing;
    EXPECT_TRUE(has("main: 208..209 barrier {")) << missing;
  }
}

}  // namespace
}  // namespace perseid::test
