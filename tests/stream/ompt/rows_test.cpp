// tests/stream/ompt/rows_test.cpp: OpenMP's records as rows of the model.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <map>
#include <random>

#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"
#include "tests/stream/row_sink.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

using ompt::DependenceType;
using ompt::SyncKind;
using ompt::TaskStatus;
using ompt::ThreadType;
using Ids = std::vector<TaskId>;
using Kinds = std::vector<StepKind>;

RowSink read_rows(CaptureBuilder& capture, Reading* drawn = nullptr) {
  capture.write();
  RowSink rows;
  WalkOptions options;
  options.model_sinks = {&rows};
  Reading reading = read_capture(capture.path(), options);
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(reading.damages.empty());
  EXPECT_TRUE(std::is_sorted(rows.steps.begin(), rows.steps.end(),
                             [](const StepRow& a, const StepRow& b) { return a.ns < b.ns; }));
  if (drawn != nullptr) *drawn = std::move(reading);
  return rows;
}

OmptStream main_thread(CaptureBuilder& capture) {
  return OmptStream(capture.stream(1, 4242, "main"));
}

/// Tasks 11, 12, ... that run one after the other, each with one dependence.
void add_tasks(OmptStream stream, const std::vector<std::pair<DependenceType, uint64_t>>& on) {
  stream.initial(1, 1);
  uint64_t task = 11;
  for (const auto& dependence : on) {
    stream.create(10, task).depend(10, task, {dependence});
    ++task;
  }
  for (uint64_t i = 11; i < task; ++i) {
    const auto at = static_cast<int64_t>(10 * i);
    stream.run(at, i).end(at + 5, i, 1);
  }
}

TEST(OmptRows, EdgesComeFromTheOrderOfAccesses) {
  CaptureBuilder capture;
  add_tasks(main_thread(capture), {{DependenceType::kOut, 0x1000},
                                   {DependenceType::kIn, 0x1000},
                                   {DependenceType::kIn, 0x1000},
                                   {DependenceType::kInoutset, 0x1000},
                                   {DependenceType::kInoutset, 0x1000},
                                   {DependenceType::kMutexinoutset, 0x1000},
                                   {DependenceType::kIn, 0x2000},
                                   {DependenceType::kInoutAllMemory, 0},
                                   {DependenceType::kIn, 0x2000},
                                   {DependenceType::kIn, 0x3000}});
  const RowSink rows = read_rows(capture);
  const Ids expected[] = {{}, {1}, {1}, {2, 3}, {2, 3}, {4, 5}, {}, {6, 7}, {8}, {8}};
  for (TaskId task = 1; task <= std::size(expected); ++task) {
    EXPECT_EQ(rows.predecessors(task), expected[task - 1]) << "task " << task;
  }
  ASSERT_EQ(rows.data.size(), 3u);  // each address once
  for (size_t i = 0; i < rows.data.size(); ++i) EXPECT_EQ(rows.data[i].id, i + 1);
}

TEST(OmptRows, ManyReadersAndAWriterNeedOneEdgeEach) {
  constexpr uint64_t kReaders = 1000;
  CaptureBuilder capture;
  std::vector<std::pair<DependenceType, uint64_t>> on(kReaders, {DependenceType::kIn, 0x1000});
  on.emplace_back(DependenceType::kOut, 0x1000);
  add_tasks(main_thread(capture), on);
  Reading drawn;
  const RowSink rows = read_rows(capture, &drawn);
  EXPECT_EQ(rows.edges.size(), kReaders + 1);
  EXPECT_EQ(rows.predecessors(kReaders + 1).size(), kReaders);
  const auto& lines = drawn.sink.lines;
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("depends_on=1000}") != std::string::npos;
  }));
  // The writer is ready when the last reader has finished.
  const auto ready = std::find_if(rows.steps.rbegin(), rows.steps.rend(), [](const StepRow& step) {
    return step.kind == StepKind::kReady && step.task == kReaders + 1;
  });
  ASSERT_NE(ready, rows.steps.rend());
  EXPECT_TRUE(is_group(ready->after));
  EXPECT_EQ(ready->ns, 10 * (10 + static_cast<int64_t>(kReaders)) + 5);
}

TEST(OmptRows, EachTaskIsFinishedAndRetiredOnce) {
  CaptureBuilder capture;
  std::vector<std::pair<DependenceType, uint64_t>> on;
  for (uint64_t i = 0; i < 200; ++i) {
    const DependenceType types[] = {DependenceType::kIn, DependenceType::kIn,
                                    DependenceType::kInoutset, DependenceType::kOut,
                                    DependenceType::kMutexinoutset};
    on.emplace_back(i % 50 == 49 ? DependenceType::kOutAllMemory : types[i % 5],
                    0x1000 + 0x100 * (i % 7));
  }
  add_tasks(main_thread(capture), on);
  const RowSink rows = read_rows(capture);
  ASSERT_EQ(rows.tasks.size(), on.size());
  std::map<NodeId, Kinds> lives;
  for (const StepRow& step : rows.steps) lives[step.task].push_back(step.kind);
  for (const auto& [node, life] : lives) {
    EXPECT_EQ(std::count(life.begin(), life.end(), StepKind::kFinished), 1) << node;
    EXPECT_EQ(std::count(life.begin(), life.end(), StepKind::kRetired), 1) << node;
    EXPECT_EQ(life.back(), StepKind::kRetired) << node;
  }
  // Whoever an edge names is not retired before.
  for (const EdgeRow& edge : rows.edges) {
    EXPECT_TRUE(lives.contains(edge.from)) << edge.from;
    EXPECT_TRUE(lives.contains(edge.to)) << edge.to;
  }
}

TEST(OmptRows, ATaskHasItsStepsInOrder) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7, ompt::kTaskExplicit | ompt::kTaskUntied)
      .run(20, 7)
      .create(25, 8, ompt::kTaskExplicit | ompt::kTaskUndeferred)
      .run(26, 8)
      .end(28, 8, 7)
      .run(30, 1);
  OmptStream(capture.stream(2, 4243, "other")).initial(6, 2).run(50, 7).end(60, 7, 2);
  const RowSink rows = read_rows(capture);
  EXPECT_EQ(rows.steps_of(1),
            (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kBegin, StepKind::kSuspend,
                   StepKind::kResume, StepKind::kEnd, StepKind::kFinished, StepKind::kRetired}));
  ASSERT_EQ(rows.tasks.size(), 2u);
  EXPECT_EQ(rows.tasks[0].runtime, Runtime::kOpenmp);
  EXPECT_EQ(rows.tasks[0].submitted_by, 1u);
  EXPECT_EQ(rows.tasks[0].parent, 0u);
  EXPECT_EQ(rows.text(rows.tasks[0].name), "task");
  EXPECT_EQ(rows.tasks[1].parent, 1u);
  EXPECT_EQ(rows.tasks[1].flags, static_cast<uint32_t>(kTaskIsUndeferred));
  for (const StepRow& step : rows.steps) {
    if (step.task == 1 && step.kind == StepKind::kEnd) {
      EXPECT_EQ(step.thread, 2u);
    }
  }
}

TEST(OmptRows, TheParentIsTheTaskAroundTheRegion) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(5, 1)
      .create(10, 7)
      .run(20, 7)
      .parallel(30, 100)
      .implicit(31, 2, 100, 0, 1)
      .create(40, 8)
      .run(41, 8)
      .end(42, 8, 2)
      .implicit_end(50)
      .parallel_end(51, 100)
      .end(60, 7, 1);
  const RowSink rows = read_rows(capture);
  ASSERT_EQ(rows.tasks.size(), 2u);
  EXPECT_EQ(rows.tasks[1].parent, 1u);
  ASSERT_EQ(rows.regions.size(), 1u);
  EXPECT_EQ(rows.regions[0].begin_ns, 30);
  EXPECT_EQ(rows.regions[0].end_ns, 51);
  EXPECT_EQ(rows.regions[0].size, 1u);
  EXPECT_EQ(rows.regions[0].thread, 1u);
}

TEST(OmptRows, ADetachedTaskIsFinishedWhenItsEventIsFulfilled) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .create(10, 7)
      .run(20, 7)
      .end(30, 7, 1, TaskStatus::kDetach)
      .note(50, 7, TaskStatus::kLateFulfill);
  const RowSink rows = read_rows(capture);
  const std::map<StepKind, int64_t> expected = {{StepKind::kEnd, 30}, {StepKind::kFinished, 50}};
  for (const auto& [kind, at] : expected) {
    const auto found =
        std::find_if(rows.steps.begin(), rows.steps.end(),
                     [&, wanted = kind](const StepRow& step) { return step.kind == wanted; });
    ASSERT_NE(found, rows.steps.end());
    EXPECT_EQ(found->ns, at);
  }
}

TEST(OmptRows, AWaitForDependencesIsATaskWithoutWork) {
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .create(10, 7)
      .depend(11, 7, {{DependenceType::kOut, 0x1000}})
      .create(20, 8, ompt::kTaskTaskwait | ompt::kTaskUndeferred)
      .own_depend(21, 0, DependenceType::kIn, 0x1000)
      .run(30, 7)
      .end(40, 7, 1)
      .note(41, 0, TaskStatus::kTaskwaitComplete);
  const RowSink rows = read_rows(capture);
  ASSERT_EQ(rows.tasks.size(), 2u);
  EXPECT_NE(rows.tasks[1].flags & kTaskWithoutWork, 0u);
  EXPECT_EQ(rows.predecessors(2), Ids{1});
  EXPECT_EQ(rows.steps_of(2), (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kFinished,
                                     StepKind::kRetired}));
}

TEST(OmptRows, ATaskThatIsOpenAtTheEndIsNotFinished) {
  CaptureBuilder capture;
  main_thread(capture).initial(1, 1).create(10, 7).run(20, 7).sync(30, SyncKind::kTaskwait);
  const RowSink rows = read_rows(capture);
  EXPECT_EQ(rows.steps_of(1), (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kBegin}));
}

TEST(OmptRows, AnIdThatIsUsedAgainEndsTheTaskBefore) {
  CaptureBuilder capture;
  main_thread(capture).initial(1, 1).create(10, 7).create(20, 7).run(30, 7).end(40, 7, 1);
  const RowSink rows = read_rows(capture);
  EXPECT_EQ(rows.steps_of(1), (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kFinished,
                                     StepKind::kRetired}));
  EXPECT_EQ(rows.steps_of(2).back(), StepKind::kRetired);
}

TEST(OmptRows, ThreadsDoSomethingWithoutGaps) {
  CaptureBuilder capture;
  main_thread(capture)
      .thread(1, ThreadType::kInitial)
      .initial(5, 1)
      .parallel(10, 100)
      .implicit(11, 2, 100, 0)
      .create(20, 7)
      .sync(30, SyncKind::kTaskwait)
      .run(40, 7)
      .end(50, 7, 2)
      .sync_end(60, SyncKind::kTaskwait)
      .sync(70, SyncKind::kBarrierImplicit)
      .sync_end(80, SyncKind::kBarrierImplicit)
      .implicit_end(81)
      .parallel_end(90, 100)
      .add(120, ompt::kThreadEnd, 0);
  OmptStream(capture.stream(2, 4243, "main"))
      .thread(3, ThreadType::kWorker)
      .implicit(12, 3, 100, 1)
      .sync(20, SyncKind::kBarrierImplicit)
      .add(100, ompt::kThreadEnd, 0);
  const RowSink rows = read_rows(capture);
  using S = WorkerState;
  struct Stretch {
    int64_t begin_ns, end_ns;
    WorkerState state;
    TaskId task;
    bool operator==(const Stretch&) const = default;
  };
  std::map<WorkerId, std::vector<Stretch>> of;
  for (const StretchRow& row : rows.stretches) {
    if (row.begin_ns == row.end_ns) continue;
    of[row.worker].push_back({row.begin_ns, row.end_ns, row.state, row.task});
  }
  EXPECT_TRUE(of[1] == (std::vector<Stretch>{{1, 5, S::kIdle, 0},
                                             {5, 30, S::kWork, 0},
                                             {30, 40, S::kTaskwait, 0},
                                             {40, 50, S::kWork, 1},
                                             {50, 60, S::kTaskwait, 0},
                                             {60, 70, S::kWork, 0},
                                             {70, 80, S::kBarrier, 0},
                                             {80, 120, S::kWork, 0}}))
      << testing::PrintToString(of[1].size());
  EXPECT_TRUE(of[2] == (std::vector<Stretch>{{3, 12, S::kIdle, 0},
                                             {12, 20, S::kWork, 0},
                                             {20, 90, S::kBarrier, 0},
                                             {90, 100, S::kIdle, 0}}));
  ASSERT_GE(rows.workers.size(), 2u);
  EXPECT_EQ(rows.workers[0].kind, WorkerKind::kOpenmpThread);
  EXPECT_EQ(rows.workers[1].thread, 2u);
  EXPECT_EQ(rows.text(rows.workers.back().name), "OpenMP thread 1");
  ASSERT_EQ(rows.waits.size(), 3u);
  EXPECT_EQ(rows.waits[0].kind, WaitKind::kTaskwait);
  EXPECT_EQ(rows.waits[0].begin_ns, 30);
  EXPECT_EQ(rows.waits[0].end_ns, 60);
  EXPECT_EQ(rows.waits[1].kind, WaitKind::kBarrier);
  EXPECT_EQ(rows.waits[1].object, 100u);
  EXPECT_EQ(rows.waits[2].thread, 2u);
}

TEST(OmptRows, AThreadThatWantsAMutexWaits) {
  constexpr auto kCritical = static_cast<uint32_t>(ompt::MutexKind::kCritical);
  CaptureBuilder capture;
  main_thread(capture)
      .initial(1, 1)
      .add(1000, ompt::kMutexAcquire, kCritical, {0xbeef, 0})
      .add(5000, ompt::kMutexAcquired, kCritical, {0xbeef})
      .add(6000, ompt::kMutexReleased, kCritical, {0xbeef});
  const RowSink rows = read_rows(capture);
  ASSERT_EQ(rows.waits.size(), 1u);
  EXPECT_EQ(rows.waits[0].kind, WaitKind::kLock);
  EXPECT_EQ(rows.waits[0].object, 0xbeefu);
  EXPECT_EQ(rows.waits[0].begin_ns, 1000);
  EXPECT_EQ(rows.waits[0].end_ns, 5000);
}

/// Records in any order, of few tasks and addresses: ends without begins, begins without ends.
TEST(OmptRows, WhateverRecordsComeTheRowsKeepTheirRules) {
  const ompt::Event events[] = {
      ompt::kThreadBegin,   ompt::kThreadEnd,     ompt::kParallelBegin,  ompt::kParallelEnd,
      ompt::kImplicitBegin, ompt::kImplicitEnd,   ompt::kTaskCreate,     ompt::kTaskSwitch,
      ompt::kTaskEnd,       ompt::kTaskNote,      ompt::kDependences,    ompt::kSyncBegin,
      ompt::kSyncEnd,       ompt::kWaitBegin,     ompt::kWaitEnd,        ompt::kMutexAcquire,
      ompt::kMutexAcquired, ompt::kMutexReleased, ompt::kOwnDependences, ompt::kTaskReturn,
      ompt::kTaskCreate,    ompt::kTaskSwitch,    ompt::kTaskEnd,        ompt::kDependences};
  const DependenceType types[] = {DependenceType::kIn, DependenceType::kOut,
                                  DependenceType::kMutexinoutset, DependenceType::kInoutset,
                                  DependenceType::kOutAllMemory};
  for (uint32_t seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
    const auto dependence = [&] {
      return uint64_t{static_cast<uint32_t>(types[below(20) == 0 ? 4 : below(4)])}
                 << ompt::kDependenceTypeShift |
             (1 + below(4));
    };
    CaptureBuilder capture;
    OmptStream streams[] = {main_thread(capture), OmptStream(capture.stream(2, 4243, "other"))};
    streams[0].initial(1, 1);
    for (int64_t at = 2; at < 1000; ++at) {
      const ompt::Event event = events[below(std::size(events))];
      uint32_t arg = below(11);
      Words words = {below(12), below(12), below(4), below(8)};
      if (event == ompt::kTaskCreate && below(8) == 0) arg = ompt::kTaskTaskwait;
      if (event == ompt::kDependences) words = {below(12), dependence(), dependence()};
      if (event == ompt::kOwnDependences) words = {dependence()};
      streams[below(2)].add(at, event, arg, words);
    }
    const RowSink rows = read_rows(capture);
    std::map<NodeId, Kinds> lives;
    for (const StepRow& step : rows.steps) lives[step.task].push_back(step.kind);
    for (const auto& [node, life] : lives) {
      const auto count = [&, &steps = life](StepKind kind) {
        return std::count(steps.begin(), steps.end(), kind);
      };
      EXPECT_LE(count(StepKind::kFinished), 1) << "seed " << seed;
      EXPECT_EQ(count(StepKind::kRetired), count(StepKind::kFinished)) << "seed " << seed;
      EXPECT_TRUE(count(StepKind::kRetired) == 0 || life.back() == StepKind::kRetired);
      EXPECT_LE(count(StepKind::kBegin), 1) << "seed " << seed;
      if (!is_group(node)) {
        EXPECT_EQ(life.front(), StepKind::kSubmitted) << "seed " << seed;
      }
    }
    std::map<WorkerId, int64_t> ends;
    for (const StretchRow& row : rows.stretches) {
      EXPECT_LE(row.begin_ns, row.end_ns);
      const auto [last, is_first] = ends.try_emplace(row.worker, row.begin_ns);
      EXPECT_EQ(row.begin_ns, last->second) << "seed " << seed;
      last->second = row.end_ns;
    }
  }
}

/// Notes how much memory is in use with each batch.
class MemorySink final : public ModelSink {
 public:
  void take(const BatchRef& batch) override {
    edges += batch->edges.size();
    const struct mallinfo2 now = mallinfo2();
    bytes.push_back(now.uordblks + now.hblkhd);
  }
  void finish(const NameIds&) override {}

  size_t edges = 0;
  std::vector<size_t> bytes;
};

class NoDrawing final : public TraceSink {
  void process(const Process&) override {}
  void track(const Track&) override {}
  void slice(const Slice&) override {}
  void counter(TrackId, int64_t, double) override {}
  void finish(const RunFacts&) override {}
};

TEST(OmptRows, ReadersOfOneAddressTakeNoMemory) {
#ifdef PERSEID_SANITIZED
  constexpr uint32_t kReaders = 50'000;
#else
  constexpr uint32_t kReaders = 1'000'000;
#endif
  CaptureBuilder capture;
  {
    StreamBuilder& stream = capture.stream(1, 4242, "main");
    OmptStream main(stream);
    main.initial(1, 1);
    int64_t at = 10;
    for (uint32_t i = 1; i <= kReaders; ++i, at += 10) {
      if (i % 1000 == 0) stream.cut();
      main.own_create(at, i).own_depend(at, i, DependenceType::kIn, 0xa0);
      main.own_run(at + 2, i).return_to(at + 4, 0);
    }
    main.own_create(at, kReaders + 1).own_depend(at, kReaders + 1, DependenceType::kOut, 0xa0);
    main.own_run(at + 2, kReaders + 1).return_to(at + 4, 0);
  }
  capture.write();
  Result<std::unique_ptr<Capture>> opened = Capture::open(capture.path(), known_kinds());
  ASSERT_TRUE(opened);
  MemorySink memory;
  NoDrawing drawing;
  WalkOptions options;
  options.model_sinks = {&memory};
  walk(**opened, drawing, options);
  EXPECT_EQ(memory.edges, kReaders + 1);
  ASSERT_GE(memory.bytes.size(), 8u);
  EXPECT_LT(memory.bytes.back(), memory.bytes[4] + (1u << 20));
}

}  // namespace
}  // namespace perseid::test
