// tests/stream/starpu/rows_test.cpp: StarPU's records as rows of the model.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <map>

#include "tests/stream/row_sink.h"
#include "tests/stream/starpu/starpu_capture.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

using events::kRead;
using events::kReduction;
using events::kWrite;
using events::WaitKind;
using Ids = std::vector<TaskId>;

RowSink read_rows(StarpuCapture& starpu, uint64_t arrows = DependencyArrows::kDefaultLimit) {
  starpu.capture.write();
  RowSink rows;
  WalkOptions options;
  options.dependency_arrows = arrows;
  options.model_sinks = {&rows};
  const Reading reading = read_capture(starpu.capture.path(), options);
  EXPECT_EQ(reading.error, "");
  EXPECT_TRUE(std::ranges::is_sorted(rows.steps, {}, &StepRow::ns));
  return rows;
}

TEST(StarpuRows, ATaskHasItsStepsInOrderOfTime) {
  StarpuCapture starpu(1, "dmda");
  starpu.main().submit_at(100, 0xa, {.name = "gemm"});
  starpu.main().push(1000, 0xa).push_end(1001, 0xa);
  starpu.worker(0)
      .pop(5000, 0, 0xa)
      .record(7000, events::kCopyBegin, 1 << 16, {64, 0, 0})
      .record(8000, events::kCopyEnd, 0, {64})
      .pre_exec(9000, 0, 0xa)
      .exec(9100, 0, 0xa)
      .exec_end(20'000, 0, 0xa)
      .post_exec(22'000, 0, 0xa)
      .clean(23'000, 0xa);
  const RowSink rows = read_rows(starpu);
  ASSERT_EQ(rows.tasks.size(), 1u);
  EXPECT_EQ(rows.text(rows.tasks[0].name), "gemm");
  EXPECT_EQ(rows.text(rows.tasks[0].kind), "codelet");
  EXPECT_EQ(rows.steps_of(1), (std::vector{StepKind::kSubmitted, StepKind::kReady, StepKind::kTaken,
                                           StepKind::kFetch, StepKind::kBegin, StepKind::kEnd,
                                           StepKind::kFinished, StepKind::kRetired}));
  EXPECT_EQ(rows.transfers.size(), 1u);
}

TEST(StarpuRows, AnExecutionHasWhatThePerformanceModelKnew) {
  StarpuCapture starpu(2, "dmda");
  starpu.main().submit_at(100, 0xa, {.name = "a"}).submit_at(120, 0xb, {.name = "b"});
  starpu.worker(1)
      .exec(210, 1, 0xa,
            {.implementation = 2,
             .predicted_us = 1.5,
             .predicted_transfer_us = 0.25,
             .footprint = 0xabc})
      .exec_end(300, 1, 0xa)
      .exec(400, 1, 0xb)
      .exec_end(500, 1, 0xb);
  const RowSink rows = read_rows(starpu);
  ASSERT_EQ(rows.executions.size(), 2u);
  const ExecutionRow& known = rows.executions[0];
  EXPECT_EQ(known.task, 1u);
  const auto worker = std::ranges::find(rows.workers, known.worker, &WorkerRow::id);
  ASSERT_NE(worker, rows.workers.end());
  EXPECT_EQ(worker->number, 1u);
  EXPECT_EQ(known.end_ns - known.begin_ns, 90);
  EXPECT_EQ(known.implementation, 2u);
  EXPECT_EQ(known.footprint, 0xabcu);
  EXPECT_EQ(known.predicted_ns, 1500);
  EXPECT_EQ(known.predicted_transfer_ns, 250);
  EXPECT_EQ(rows.executions[1].predicted_ns, 0);
  EXPECT_EQ(rows.executions[1].predicted_transfer_ns, 0);
  const auto ends = std::ranges::count(rows.steps, StepKind::kEnd, &StepRow::kind);
  EXPECT_EQ(ends, 2);
}

TEST(StarpuRows, StretchesOfAWorkerHaveNoGap) {
  StarpuCapture starpu(2, "eager");
  starpu.main().submit_at(100, 0xa, {.name = "a"}).submit_at(120, 0xb, {.name = "b"});
  starpu.worker(0)
      .pop(200, 0, 0xa)
      .exec(210, 0, 0xa)
      .exec_end(300, 0, 0xa)
      .record(310, events::kIdle, 0, {0})
      .pop(400, 0, 0xb)
      .exec(410, 0, 0xb)
      .exec_end(500, 0, 0xb);
  const RowSink rows = read_rows(starpu);
  std::map<WorkerId, int64_t> ends;
  std::map<WorkerState, int64_t> sums;
  for (const StretchRow& stretch : rows.stretches) {
    const auto [at, is_first] = ends.try_emplace(stretch.worker, stretch.begin_ns);
    EXPECT_EQ(at->second, stretch.begin_ns) << "worker " << stretch.worker;
    at->second = stretch.end_ns;
    if (stretch.worker == 1) sums[stretch.state] += stretch.end_ns - stretch.begin_ns;
  }
  EXPECT_EQ(sums[WorkerState::kWork], 90 + 90);
  EXPECT_EQ(sums[WorkerState::kSchedule], 10 + 10 + 10);
  EXPECT_GE(sums[WorkerState::kIdle], 90);
}

TEST(StarpuRows, AWorkerIsInItsSchedulerSinceItsPopBegan) {
  using Part = std::tuple<int64_t, int64_t, WorkerState, TaskId>;
  StarpuCapture starpu(1, "eager");
  starpu.main().submit_at(100, 0xa, {.name = "a"}).submit_at(120, 0xb, {.name = "b"});
  starpu.worker(0)
      .record(200, events::kPop, 0, {0xa, events::pop_word(0, 2 * 60)})
      .exec(210, 0, 0xa)
      .exec_end(300, 0, 0xa)
      .record(350, events::kIdle, 0, {events::pop_word(3, 2 * 30)})
      .pop(400, 0, 0xb)
      .exec(410, 0, 0xb)
      .exec_end(500, 0, 0xb)
      .record(560, events::kIdle, 0, {events::pop_word(0, 5000)});
  const RowSink rows = read_rows(starpu);
  std::vector<Part> parts;
  for (const StretchRow& row : rows.stretches) {
    if (row.end_ns > row.begin_ns && row.begin_ns >= 140)
      parts.emplace_back(row.begin_ns, row.end_ns, row.state, row.task);
  }
  EXPECT_EQ(parts, (std::vector<Part>{
                       {140, 200, WorkerState::kSchedule, 0},
                       {200, 210, WorkerState::kSchedule, 1},
                       {210, 300, WorkerState::kWork, 1},
                       {300, 320, WorkerState::kSchedule, 1},  // what came after its work
                       {320, 350, WorkerState::kSchedule, 0},
                       {350, 400, WorkerState::kIdle, 0},  // until a poll gets a task
                       {400, 410, WorkerState::kSchedule, 2},
                       {410, 500, WorkerState::kWork, 2},
                       {500, 560, WorkerState::kSchedule, 0}}));  // never before its work ended
}

TEST(StarpuRows, ATaskHasTheKindsOfWorkersThatCanRunIt) {
  const auto bit = [](WorkerKind kind) { return 1u << static_cast<uint32_t>(kind); };
  StarpuCapture starpu(1);
  starpu.main()
      .named(30, events::kCodelet, "both",
             {0xb0, events::halves(0, events::kOnCpu | events::kOnCuda), 1})
      .named(31, events::kCodelet, "device",
             {0xd0, events::halves(0, events::kOnOpencl | events::kOnOther), 1})
      .named(32, events::kCodelet, "nothing", {0xe0, events::halves(0, events::kNowhere), 1})
      .submit_at(100, 0xa, {.codelet = 0xb0})
      .submit_at(120, 0xb, {.codelet = 0xd0, .flags = events::kOnSpecificWorker})
      .submit_at(140, 0xc, {.codelet = 0xe0})
      .submit_at(160, 0xd, {.codelet = 0xf0})  // not known
      .named(180, events::kCodelet, "by its functions", {0xa0, 0, 1})
      .record(181, events::kCodeletFunction, 0, {0xa0, 0, 0x100})
      .record(182, events::kCodeletFunction, 1, {0xa0, 0, 0x200})
      .submit_at(190, 0xe, {.codelet = 0xa0});
  const RowSink rows = read_rows(starpu);
  ASSERT_EQ(rows.tasks.size(), 5u);
  EXPECT_EQ(rows.tasks[4].worker_kinds, rows.tasks[0].worker_kinds);
  EXPECT_EQ(rows.tasks[0].worker_kinds, bit(WorkerKind::kCpu) | bit(WorkerKind::kCuda));
  EXPECT_EQ(rows.tasks[1].worker_kinds, bit(WorkerKind::kOpencl) | bit(WorkerKind::kOther));
  EXPECT_NE(rows.tasks[1].flags & kTaskOnGivenWorker, 0u);
  EXPECT_EQ(rows.tasks[2].worker_kinds, 0u);
  EXPECT_EQ(rows.tasks[3].worker_kinds, 0u);
}

TEST(StarpuRows, TheSubmitterOfASynchronousTaskWaitsFromItsPushOn) {
  using Part = std::tuple<int64_t, int64_t, uint64_t>;
  StarpuCapture starpu(1, "eager");
  starpu.main()
      .submit(100, 0xa, {.name = "a", .flags = events::kSynchronous})
      .push(110, 0xa)
      .push_end(120, 0xa);
  starpu.worker(0).pop(130, 0, 0xa).exec(140, 0, 0xa).exec_end(300, 0, 0xa).clean(301, 0xa);
  starpu.main()
      .submit_end(310, 0xa)
      // Held back by others, its push is on another thread: the call as a whole is the wait.
      .submit(400, 0xb, {.name = "b", .flags = events::kSynchronous});
  starpu.worker(0).push(420, 0xb).push_end(430, 0xb).exec(440, 0, 0xb).exec_end(500, 0, 0xb);
  starpu.main()
      .submit_end(510, 0xb)
      .submit(600, 0xc, {.name = "refused", .flags = events::kSynchronous})
      .submit_end(610, 0xc, -19)
      .submit_at(700, 0xd, {.name = "ordinary"});
  const RowSink rows = read_rows(starpu);
  std::vector<Part> parts;
  for (const WaitRow& row : rows.waits) {
    EXPECT_EQ(row.kind, perseid::WaitKind::kTasks);
    EXPECT_EQ(rows.text(row.name), "wait for a synchronous task");
    parts.emplace_back(row.begin_ns, row.end_ns, row.object);
  }
  EXPECT_EQ(parts, (std::vector<Part>{{120, 310, 1}, {400, 510, 2}}));
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "submit a", "waited_ns"), "190");
  EXPECT_EQ(argument_of(reading, "submit b", "waited_ns"), "110");
  EXPECT_EQ(argument_of(reading, "submit ordinary", "waited_ns"), "");
}

TEST(StarpuRows, AllEdgesAreThereWhateverIsDrawn) {
  StarpuCapture starpu(1);
  uint64_t task = 0xa0;
  int64_t now = 100;
  const auto submit = [&](uint32_t mode) {
    starpu.main().submit_at(now += 20, task++, {.name = "t", .uses = {{1, mode}}});
  };
  submit(kWrite);
  for (int i = 0; i < 1000; ++i) submit(kRead);
  submit(kWrite);
  const RowSink rows = read_rows(starpu, 0);
  EXPECT_EQ(rows.predecessors(1002).size(), 1000u);
  EXPECT_EQ(rows.predecessors(2), Ids{1});
  EXPECT_LE(rows.edges.size(), 1000u + 1000 + 1) << "readers form one group";
}

TEST(StarpuRows, ReductionsSubmittedAheadAreJoinedOneByOne) {
  StarpuCapture starpu(1);
  // Two rounds of two parts and a reader are submitted; then they run, each round with its join.
  for (uint64_t round = 0; round < 2; ++round) {
    const auto at = static_cast<int64_t>(100 + 100 * round);
    starpu.main()
        .submit_at(at, 0xa0 + 4 * round, {.name = "part", .uses = {{1, kReduction}}})
        .submit_at(at + 20, 0xa1 + 4 * round, {.name = "part", .uses = {{1, kReduction}}})
        .submit_at(at + 40, 0xa2 + 4 * round, {.name = "reader", .uses = {{1, kRead}}});
  }
  for (uint64_t round = 0; round < 2; ++round) {
    const auto at = static_cast<int64_t>(1000 + 1000 * round);
    const uint64_t first = 0xa0 + 4 * round, join = 0xc0 + round;
    starpu.worker(0)
        .exec(at, 0, first)
        .exec_end(at + 10, 0, first)
        .exec(at + 20, 0, first + 1)
        .exec_end(at + 30, 0, first + 1)
        .submit_at(at + 40, join,
                   {.name = "redux_task_between_replicates", .uses = {{1, kRead | kWrite}}})
        .exec(at + 100, 0, join)
        .exec_end(at + 110, 0, join)
        .exec(at + 120, 0, first + 2)
        .exec_end(at + 130, 0, first + 2);
  }
  const RowSink rows = read_rows(starpu);
  ASSERT_EQ(rows.tasks.size(), 8u);  // 1, 2, 4, 5: parts; 3, 6: readers; 7, 8: joins
  EXPECT_EQ(rows.predecessors(7), (Ids{1, 2}));
  EXPECT_EQ(rows.predecessors(8), (Ids{4, 5}));
  EXPECT_EQ(rows.predecessors(3), (Ids{1, 2, 7}));
  EXPECT_EQ(rows.predecessors(6), (Ids{4, 5, 8}));
}

TEST(StarpuRows, TasksWithoutCodeletEndWithWhatTheyWaitFor) {
  StarpuCapture starpu(1);
  constexpr uint64_t kChain = 5000;
  starpu.main().submit_at(100, 0xa, {.name = "work"});
  int64_t now = 200;
  for (uint64_t i = 0; i < kChain; ++i) {
    now += 20;
    starpu.main()
        .record(now, events::kTaskDeps, 0, {0x1000 + i, i == 0 ? 0xa : 0xfff + i})
        .submit_at(now, 0x1000 + i, {.codelet = 0});
    if (i % 500 == 0) starpu.main().stream().cut();
  }
  now += 20;
  starpu.main()
      .record(now, events::kTaskDeps, 0, {0xb, 0xfff + kChain})
      .submit_at(now, 0xb, {.name = "after"});
  starpu.worker(0).exec(1'000'000, 0, 0xa).exec_end(1'000'100, 0, 0xa);
  starpu.worker(0).exec(1'100'000, 0, 0xb).exec_end(1'200'000, 0, 0xb);
  const RowSink rows = read_rows(starpu);
  uint64_t finished = 0;
  for (const StepRow& step : rows.steps) {
    if (step.kind == StepKind::kFinished && step.ns == 1'000'100 && !is_group(step.task))
      ++finished;
  }
  EXPECT_EQ(finished, kChain + 1);
  const Reading reading = starpu.read(UINT64_MAX);
  EXPECT_EQ(reading.sink.fact("dependency_arrows"), std::to_string(kChain + 1));
  EXPECT_EQ(reading.sink.fact("dependency_arrows_left_out"), "");
}

TEST(StarpuRows, AnAcquisitionLastsUntilItsRelease) {
  StarpuCapture starpu(1);
  starpu.main()
      .submit_at(100, 0xa, {.name = "w", .uses = {{1, kWrite}}})
      .wait(200, WaitKind::kForData, 1, kRead | kWrite)
      .wait_end(600, WaitKind::kForData)
      .submit_at(700, 0xb, {.name = "later", .uses = {{1, kRead}}})
      .record(900, events::kRelease, 0, {1});
  starpu.worker(0)
      .exec(300, 0, 0xa)
      .exec_end(500, 0, 0xa)
      .exec(1000, 0, 0xb)
      .exec_end(1100, 0, 0xb);
  const RowSink rows = read_rows(starpu);
  EXPECT_EQ(rows.predecessors(2), Ids{1});
  EXPECT_EQ(rows.predecessors(3), Ids{2});
  for (const StepRow& step : rows.steps) {
    if (step.task == 2 && step.kind == StepKind::kFinished) {
      EXPECT_EQ(step.ns, 900);
    }
  }
  const Lines found = arrows(starpu.read());
  EXPECT_TRUE(std::ranges::count(found, "release data > later"))
      << "not from where it was acquired";
}

/// Looks how much memory is in use.
class MemoryRows final : public ModelSink {
 public:
  void take(const BatchRef& batch) override {
    edges += batch->edges.size();
    if (++batches_ < 4) return;  // until then the tables get their size
    const size_t bytes = mallinfo2().uordblks + mallinfo2().hblkhd;
    if (first_ == 0) first_ = bytes;
    if (bytes > first_) growth = std::max(growth, bytes - first_);
  }
  void finish(const NameIds&) override {}
  uint64_t edges = 0;
  size_t growth = 0;

 private:
  size_t first_ = 0;
  size_t batches_ = 0;
};

TEST(StarpuRows, AMillionReadersOfOneDatumCostNoMemory) {
  constexpr uint64_t kReaders = 1'000'000;
  StarpuCapture starpu(1);
  starpu.main().submit_at(90, 0x1, {.name = "first", .uses = {{9, kWrite}}});
  starpu.worker(0).exec(200, 0, 0x1).exec_end(300, 0, 0x1);
  for (uint64_t i = 0; i < kReaders; ++i) {
    const auto at = static_cast<int64_t>(1000 + 100 * i);
    const uint64_t task = 0xa000 + 16 * (i % 8);
    starpu.main().submit_at(at, task, {.name = "r", .uses = {{9, kRead}}});
    starpu.worker(0).exec(at + 20, 0, task).exec_end(at + 60, 0, task).clean(at + 70, task);
    if (i % 1000 != 0) continue;
    starpu.main().stream().cut();
    starpu.worker(0).stream().cut();
  }
  starpu.main().submit_at(1000 + 100 * static_cast<int64_t>(kReaders), 0x2,
                          {.name = "last", .uses = {{9, kWrite}}});
  starpu.capture.write();
  Result<std::unique_ptr<Capture>> opened = Capture::open(starpu.capture.path(), known_kinds());
  MemoryRows rows;
  class Nothing final : public TraceSink {
    void process(const Process&) override {}
    void track(const Track&) override {}
    void slice(const Slice&) override {}
    void counter(TrackId, int64_t, double) override {}
    void finish(const RunFacts&) override {}
  } nothing;
  WalkOptions options;
  options.model_sinks = {&rows};
  walk(**opened, nothing, options);
  EXPECT_GE(rows.edges, 2 * kReaders + 1);  // from the first, to the group, to the last
  EXPECT_LT(rows.growth, 64u * 1024);
}

}  // namespace
}  // namespace perseid::test
