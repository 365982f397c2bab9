// tests/unit/timeline/analysis/worker_times_test.cpp: schedules whose answer is known by
// construction.
#include "timeline/analysis/worker_times.h"

#include <gtest/gtest.h>

#include <random>

#include "timeline/model/names.h"
#include "timeline/model/tasks.h"
#include "timeline/model/worker_states.h"

namespace perseid {
namespace {

constexpr ThreadId kMain = 1;

/// A program that reports to the model as decoders do.
class AnalysisWorkerTimes : public testing::Test {
 protected:
  class Sink final : public ModelSink {
   public:
    explicit Sink(WorkerTimes& to) : to_(&to) {}
    void take(const BatchRef& batch) override { to_->take(*batch); }
    void finish(const NameIds&) override {}

   private:
    WorkerTimes* to_;
  };

  void add_workers(uint32_t count, WorkerKind kind = WorkerKind::kCpu,
                   Runtime runtime = Runtime::kStarpu) {
    for (uint32_t i = 0; i < count; ++i) {
      WorkerRow row;
      row.id = states_.add(now_);
      row.number = row.id - 1;
      row.thread = runtime == Runtime::kOpenmp ? row.id : 100 + row.id;
      row.runtime = runtime;
      row.kind = kind;
      states_.describe(row);
    }
  }
  Tasks::Ref submit(Runtime runtime = Runtime::kStarpu, uint32_t kinds = 0, ThreadId by = kMain) {
    TaskRow row;
    row.runtime = runtime;
    row.submitted_by = by;
    row.worker_kinds = kinds;
    const Tasks::Ref task = tasks_.submit(row, now_);
    return task;
  }
  void settle(Tasks::Ref task) { tasks_.settle(task, now_, kMain, false); }
  Tasks::Ref ready_task() {
    const Tasks::Ref task = submit();
    settle(task);
    return task;
  }
  void pop(WorkerId worker, Tasks::Ref task) {
    states_.set(worker, WorkerState::kSchedule, now_, tasks_.id(task));
    tasks_.step(task, StepKind::kTaken, now_, 100 + worker, worker);
  }
  void begin(WorkerId worker, Tasks::Ref task) {
    tasks_.begin(task, now_, 100 + worker, worker);
    states_.set(worker, WorkerState::kWork, now_, tasks_.id(task));
  }
  void end(WorkerId worker, Tasks::Ref task) {
    states_.set(worker, WorkerState::kIdle, now_);
    tasks_.end(task, now_, 100 + worker, worker);
    tasks_.finish(task, now_, 100 + worker);
  }
  /// From now on for `ns`.
  void run(WorkerId worker, Tasks::Ref task, int64_t ns) {
    pop(worker, task);
    begin(worker, task);
    now_ += ns;
    end(worker, task);
  }
  void wait(WaitKind kind, int64_t begin_ns, int64_t end_ns, ThreadId thread = kMain,
            uint64_t object = 0) {
    WaitRow row;
    row.begin_ns = begin_ns;
    row.end_ns = end_ns;
    row.thread = thread;
    row.kind = kind;
    row.object = object;
    rows_.add(row);
  }
  void region(uint64_t number, uint32_t size, int64_t begin_ns, int64_t end_ns) {
    RegionRow row;
    row.begin_ns = begin_ns;
    row.end_ns = end_ns;
    row.number = number;
    row.size = size;
    row.kind = RegionKind::kParallel;
    rows_.add(row);
  }
  void phase(const char* name, int64_t begin_ns, int64_t end_ns) {
    RegionRow row;
    row.begin_ns = begin_ns;
    row.end_ns = end_ns;
    row.name = names_.of(name);
    row.kind = RegionKind::kPhase;
    rows_.add(row);
  }
  /// Ends the run, and checks what always holds.
  std::vector<WorkerTimes::Worker> finish(WorkerTimes& times) {
    states_.finish(now_);
    Sink sink(times);
    rows_.add_sink(&sink);
    rows_.flush(now_);
    times.finish();
    std::vector<WorkerTimes::Worker> workers = times.workers();
    for (const WorkerTimes::Worker& worker : workers) {
      EXPECT_EQ(worker.labels.total(), times.time_ns()) << "worker " << worker.row.id;
      EXPECT_EQ(worker.labels[Label::kUnexplained], 0);
      for_each_label([&](Label label) { EXPECT_GE(worker.labels[label], 0) << id_of(label); });
    }
    return workers;
  }
  std::vector<WorkerTimes::Worker> finish() {
    WorkerTimes times;
    auto workers = finish(times);
    time_ns_ = times.time_ns();
    begin_ns_ = times.begin_ns();
    return workers;
  }
  static LabelSums all(const std::vector<WorkerTimes::Worker>& workers) {
    LabelSums sums;
    for (const WorkerTimes::Worker& worker : workers) sums += worker.labels;
    return sums;
  }

  int64_t now_ = 1000;
  int64_t time_ns_ = 0;
  int64_t begin_ns_ = 0;
  NameIds names_;
  RowsBuilder rows_{names_};
  Tasks tasks_{rows_};
  WorkerStates states_{rows_};
};

TEST_F(AnalysisWorkerTimes, AChainKeepsAllOtherWorkersWaitingForDependencies) {
  constexpr int kTasks = 10;
  constexpr int64_t kLength = 100;
  add_workers(4);
  now_ += 500;  // before the window
  std::vector<Tasks::Ref> chain;
  for (int i = 0; i < kTasks; ++i) {
    chain.push_back(submit());
    if (i > 0)
      tasks_.depend(chain[static_cast<size_t>(i)], chain[static_cast<size_t>(i) - 1],
                    EdgeCause::kData);
    settle(chain.back());
  }
  for (const Tasks::Ref task : chain) run(1, task, kLength);
  now_ += 700;  // after it
  const auto workers = finish();
  EXPECT_EQ(begin_ns_, 1500);
  EXPECT_EQ(time_ns_, kTasks * kLength);
  const LabelSums sums = all(workers);
  EXPECT_EQ(sums[Label::kWork], kTasks * kLength);
  // The others wait until the last one is taken; then no more comes.
  EXPECT_EQ(sums[Label::kDependencies], 3 * (kTasks - 1) * kLength);
  EXPECT_EQ(sums[Label::kTail], 3 * kLength);
}

TEST_F(AnalysisWorkerTimes, IndependentTasksLeaveNoIdleTime) {
  add_workers(3);
  std::vector<Tasks::Ref> tasks;
  for (int i = 0; i < 12; ++i) tasks.push_back(ready_task());
  for (size_t round = 0; round < 4; ++round) {
    for (WorkerId worker = 1; worker <= 3; ++worker) {
      pop(worker, tasks[3 * round + worker - 1]);
      begin(worker, tasks[3 * round + worker - 1]);
    }
    now_ += 50;
    for (WorkerId worker = 1; worker <= 3; ++worker) end(worker, tasks[3 * round + worker - 1]);
  }
  const auto workers = finish();
  EXPECT_EQ(all(workers)[Label::kWork], 3 * 4 * 50);
  EXPECT_EQ(time_ns_, 4 * 50);
}

TEST_F(AnalysisWorkerTimes, AGapBetweenSubmissionsIsTheSubmissionsFault) {
  add_workers(1);
  for (int i = 0; i < 5; ++i) {
    run(1, ready_task(), 30);
    now_ += 70;
  }
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kWork], 5 * 30);
  EXPECT_EQ(workers[0].labels[Label::kSubmission], 4 * 70);
  EXPECT_EQ(time_ns_, 5 * 30 + 4 * 70);
}

TEST_F(AnalysisWorkerTimes, AThrottledOrWaitingSubmitterIsNamed) {
  add_workers(1);
  run(1, ready_task(), 30);
  wait(WaitKind::kThrottle, now_, kNotYet);
  now_ += 40;
  wait(WaitKind::kThrottle, now_ - 40, now_);
  run(1, ready_task(), 30);
  wait(WaitKind::kData, now_, kNotYet);
  now_ += 20;
  wait(WaitKind::kData, now_ - 20, now_);
  run(1, ready_task(), 30);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kThrottled], 40);
  EXPECT_EQ(workers[0].labels[Label::kProgramWaits], 20);
  EXPECT_EQ(workers[0].labels[Label::kWork], 90);
}

TEST_F(AnalysisWorkerTimes, ATaskInAThrottledSubmissionDoesNotWaitForDependencies) {
  add_workers(2);
  const Tasks::Ref first = ready_task();
  pop(1, first);
  begin(1, first);
  const Tasks::Ref held_back = submit();
  ++now_;  // inside of the call
  wait(WaitKind::kThrottle, now_, kNotYet);
  now_ += 60;
  end(1, first);
  wait(WaitKind::kThrottle, now_ - 60, now_);
  const Tasks::Ref running = ready_task();
  pop(1, running);
  begin(1, running);
  now_ += 40;
  settle(held_back);
  run(2, held_back, 30);
  end(1, running);
  const auto workers = finish();
  EXPECT_EQ(workers[1].labels[Label::kThrottled], 60);
  // When its submission has gone on, it waits as any other.
  EXPECT_EQ(workers[1].labels[Label::kDependencies], 1 + 40);
  EXPECT_EQ(workers[1].labels[Label::kWork], 30);
}

TEST_F(AnalysisWorkerTimes, AReadyTaskThatIsNotTakenIsLatencyForWhoTakesItLater) {
  add_workers(2);
  const Tasks::Ref a = ready_task();
  pop(1, a);
  begin(1, a);
  now_ += 10;
  const Tasks::Ref b = ready_task();  // worker 2 is idle, and takes it 25 later
  now_ += 25;
  pop(2, b);
  begin(2, b);
  now_ += 15;
  end(1, a);
  end(2, b);
  const auto workers = finish();
  EXPECT_EQ(workers[1].labels[Label::kSubmission], 10);
  EXPECT_EQ(workers[1].labels[Label::kLatency], 25);
  EXPECT_EQ(workers[1].labels[Label::kWork], 15);
}

TEST_F(AnalysisWorkerTimes, TasksThatOthersGetAreElsewhere) {
  add_workers(2);
  std::vector<Tasks::Ref> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(ready_task());
  for (const Tasks::Ref task : tasks) run(1, task, 100);  // worker 2 never gets one
  const auto workers = finish();
  EXPECT_EQ(workers[1].labels[Label::kElsewhere], 300);
  EXPECT_EQ(workers[1].labels[Label::kTail], 100);
}

TEST_F(AnalysisWorkerTimes, TasksForOneKindOfWorkerLeaveTheOtherIdle) {
  add_workers(1, WorkerKind::kCpu);
  add_workers(1, WorkerKind::kCuda);
  constexpr uint32_t kOnlyCuda = 1u << static_cast<uint32_t>(WorkerKind::kCuda);
  const Tasks::Ref a = submit(Runtime::kStarpu, kOnlyCuda);
  const Tasks::Ref b = submit(Runtime::kStarpu, kOnlyCuda);
  settle(a);
  settle(b);
  run(2, a, 60);
  run(2, b, 60);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kNoTaskForKind], 60);
  EXPECT_EQ(workers[0].labels[Label::kTail], 60);
}

TEST_F(AnalysisWorkerTimes, TasksThatWaitForMessagesWaitForTheNetwork) {
  add_workers(1);
  const Tasks::Ref received = submit();  // somebody else's data
  run(1, ready_task(), 10);
  MessageRow message;
  message.id = 5;
  message.begin_ns = now_;
  message.end_ns = kNotYet;
  message.is_receive = true;
  rows_.add(message);
  now_ += 70;
  message.end_ns = now_;
  rows_.add(message);
  settle(received);
  run(1, received, 10);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kNetwork], 70);
  EXPECT_EQ(workers[0].labels[Label::kWork], 20);
}

TEST_F(AnalysisWorkerTimes, CopiesCallbacksAndTheSchedulerAreWhatTheyAre) {
  add_workers(1);
  const Tasks::Ref task = ready_task();
  pop(1, task);
  now_ += 5;
  states_.set(1, WorkerState::kFetch, now_, tasks_.id(task));
  now_ += 40;
  states_.set(1, WorkerState::kSchedule, now_, tasks_.id(task));
  now_ += 3;
  begin(1, task);
  now_ += 100;
  end(1, task);
  states_.set(1, WorkerState::kCallback, now_);
  now_ += 9;
  states_.set(1, WorkerState::kIdle, now_);
  run(1, ready_task(), 10);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kData], 40);
  EXPECT_EQ(workers[0].labels[Label::kScheduler], 8);
  EXPECT_EQ(workers[0].labels[Label::kCallback], 9);
  EXPECT_EQ(workers[0].labels[Label::kWork], 110);
}

TEST_F(AnalysisWorkerTimes, AWaitForTheLastTaskBelongsToTheRun) {
  add_workers(1);
  const Tasks::Ref task = ready_task();
  wait(WaitKind::kTasks, now_, kNotYet);
  const int64_t waited_from_ns = now_;
  run(1, task, 100);
  now_ += 7;
  wait(WaitKind::kTasks, waited_from_ns, now_);
  now_ += 1000;
  const auto workers = finish();
  EXPECT_EQ(time_ns_, 107);
  EXPECT_EQ(workers[0].labels[Label::kTail], 7);
}

TEST_F(AnalysisWorkerTimes, AnIdleWorkerAddsItsWholeTime) {
  add_workers(5);
  for (int i = 0; i < 3; ++i) run(1, ready_task(), 20);
  const auto workers = finish();
  ASSERT_EQ(workers.size(), 5u);
  EXPECT_EQ(all(workers).total(), 5 * time_ns_);
  EXPECT_EQ(workers[4].labels[Label::kWork], 0);
}

TEST_F(AnalysisWorkerTimes, WindowsCountOnlyWhatIsInside) {
  add_workers(2);
  for (int i = 0; i < 10; ++i) {
    run(1, ready_task(), 60);
    now_ += 40;
  }
  WorkerTimes times({{1100, 1200}, {1430, 1500}});
  const auto workers = finish(times);
  EXPECT_EQ(times.time_ns(), 170);
  EXPECT_EQ(workers[0].labels[Label::kWork], 60 + 30);
  EXPECT_EQ(workers[0].labels[Label::kSubmission], 40 + 40);
}

TEST_F(AnalysisWorkerTimes, PartsOfARunAddUp) {
  std::minstd_rand random(7);
  add_workers(3);
  for (int i = 0; i < 200; ++i) {
    now_ += static_cast<int64_t>(random() % 50);
    run(1 + static_cast<WorkerId>(random() % 3), ready_task(),
        1 + static_cast<int64_t>(random() % 90));
  }
  const int64_t end_ns = now_;
  states_.finish(now_);
  WorkerTimes whole({{0, end_ns}}), first({{0, 4321}}), second({{4321, end_ns}});
  Sink sinks[] = {Sink(whole), Sink(first), Sink(second)};
  for (Sink& sink : sinks) rows_.add_sink(&sink);
  rows_.flush(now_);
  whole.finish(), first.finish(), second.finish();
  EXPECT_EQ(first.time_ns() + second.time_ns(), whole.time_ns());
  LabelSums parts = all(first.workers());
  parts += all(second.workers());
  const LabelSums sums = all(whole.workers());
  EXPECT_EQ(parts.total(), sums.total());
  EXPECT_EQ(parts[Label::kWork], sums[Label::kWork]);
}

TEST_F(AnalysisWorkerTimes, PhasesHaveTheirShareAndWarmUpIsLeftOut) {
  add_workers(1);
  phase("warm-up", now_, kNotYet);
  const int64_t warm_up_ns = now_;
  run(1, ready_task(), 500);
  phase("warm-up", warm_up_ns, now_);
  const int64_t solve_ns = now_;
  phase("solve", now_, kNotYet);
  run(1, ready_task(), 30);
  now_ += 20;
  run(1, ready_task(), 30);
  phase("solve", solve_ns, now_);
  run(1, ready_task(), 5);
  WorkerTimes times;
  times.leave_out([](std::string_view name) { return name == "warm-up"; });
  const auto workers = finish(times);
  EXPECT_EQ(times.time_ns(), 30 + 20 + 30 + 5);
  EXPECT_EQ(times.left_out_phases(), 1u);
  ASSERT_EQ(times.phases().size(), 1u);
  EXPECT_EQ(times.phases()[0].time_ns, 80);
  EXPECT_EQ(times.phases()[0].labels[0][Label::kWork], 60);
  EXPECT_EQ(times.phases()[0].labels[0].total(), 80);
}

TEST_F(AnalysisWorkerTimes, WorkersOfASecondStartGoOnInTheirRows) {
  add_workers(1);
  run(1, ready_task(), 30);
  states_.end(1, now_);
  now_ += 100;
  WorkerRow row;
  row.id = states_.add(now_);
  row.runtime = Runtime::kStarpu;
  states_.describe(row);
  run(row.id, ready_task(), 30);
  const auto workers = finish();
  ASSERT_EQ(workers.size(), 1u);
  EXPECT_EQ(workers[0].labels[Label::kWork], 60);
  EXPECT_EQ(workers[0].labels[Label::kPaused], 100);
}

TEST_F(AnalysisWorkerTimes, WithoutRecordsOfTheSchedulerIdleTimeIsNotExplained) {
  add_workers(2);
  const Tasks::Ref a = ready_task();
  const Tasks::Ref b = submit();
  tasks_.depend(b, a, EdgeCause::kData);
  settle(b);
  for (const Tasks::Ref task : {a, b}) {
    begin(1, task);
    now_ += 50;
    end(1, task);
  }
  const auto workers = finish();
  EXPECT_EQ(workers[1].labels[Label::kNotRecorded], 50);
  EXPECT_EQ(workers[1].labels[Label::kTail], 50);
}

TEST_F(AnalysisWorkerTimes, TasksForAGivenWorkerLeaveNothingForOthers) {
  add_workers(2);
  const Tasks::Ref a = ready_task();
  const Tasks::Ref b = ready_task();
  const Tasks::Ref c = ready_task();
  for (const Tasks::Ref task : {a, b, c}) {  // which nobody takes from the scheduler
    states_.set(1, WorkerState::kSchedule, now_, tasks_.id(task));
    now_ += 5;
    begin(1, task);
    now_ += 50;
    end(1, task);
  }
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kScheduler], 3 * 5);
  EXPECT_EQ(workers[1].labels[Label::kElsewhere], 2 * 50 + 3 * 5);
  EXPECT_EQ(workers[1].labels[Label::kTail], 50);
  EXPECT_EQ(workers[1].labels[Label::kNotRecorded], 0);
}

/// Threads 1 and 2 in a region; the second one works longer.
TEST_F(AnalysisWorkerTimes, BarriersWaitForTheLastThread) {
  add_workers(2, WorkerKind::kOpenmpThread, Runtime::kOpenmp);
  states_.set(1, WorkerState::kWork, now_);
  now_ += 100;  // serial, before the first region: before the window
  region(7, 2, now_, kNotYet);
  const int64_t begin_ns = now_;
  now_ += 5;
  states_.set(2, WorkerState::kWork, now_);
  for (int i = 0; i < 3; ++i) {
    now_ += 40;
    wait(WaitKind::kBarrier, now_, kNotYet, 1, 7);
    states_.set(1, WorkerState::kBarrier, now_);
    now_ += 30;
    wait(WaitKind::kBarrier, now_, kNotYet, 2, 7);
    states_.set(2, WorkerState::kBarrier, now_);
    now_ += 2;
    states_.set(1, WorkerState::kWork, now_);
    now_ += 1;
    states_.set(2, WorkerState::kWork, now_);
  }
  region(7, 2, begin_ns, now_);
  states_.set(2, WorkerState::kIdle, now_);
  now_ += 50;
  region(8, 1, now_, kNotYet);
  now_ += 10;
  region(8, 1, now_ - 10, now_);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kImbalance], 3 * 30);
  EXPECT_EQ(workers[0].labels[Label::kBarrier], 3 * 2);
  EXPECT_EQ(workers[1].labels[Label::kImbalance], 0);
  EXPECT_EQ(workers[1].labels[Label::kBarrier], 3 * 3);
  EXPECT_EQ(workers[1].labels[Label::kForkJoin], 5);
  EXPECT_EQ(workers[1].labels[Label::kSerial], 60);
}

TEST_F(AnalysisWorkerTimes, ThreadsThatWaitForTasksAreSortedByWhatTheTasksDo) {
  add_workers(2, WorkerKind::kOpenmpThread, Runtime::kOpenmp);
  region(7, 2, now_, kNotYet);
  const int64_t begin_ns = now_;
  states_.set(1, WorkerState::kWork, now_);
  wait(WaitKind::kBarrier, now_, kNotYet, 2, 7);
  states_.set(2, WorkerState::kBarrier, now_);
  now_ += 10;  // no tasks yet: nobody can know that some will come
  const Tasks::Ref a = submit(Runtime::kOpenmp);
  settle(a);
  now_ += 4;  // queued
  tasks_.begin(a, now_, 2, 2);
  states_.set(2, WorkerState::kWork, now_, tasks_.id(a));
  now_ += 20;
  tasks_.end(a, now_, 2, 2);
  tasks_.finish(a, now_, 2);
  states_.set(2, WorkerState::kBarrier, now_);
  now_ += 8;  // the first thread still creates
  wait(WaitKind::kBarrier, now_, kNotYet, 1, 7);
  states_.set(1, WorkerState::kBarrier, now_);
  now_ += 3;
  region(7, 2, begin_ns, now_);
  const auto workers = finish();
  EXPECT_EQ(workers[1].labels[Label::kImbalance], 10);
  EXPECT_EQ(workers[1].labels[Label::kLatency], 4);
  EXPECT_EQ(workers[1].labels[Label::kWork], 20);
  EXPECT_EQ(workers[1].labels[Label::kCreation], 8);
  EXPECT_EQ(workers[1].labels[Label::kBarrier], 3);
}

TEST_F(AnalysisWorkerTimes, LocksDevicesAndMpiAreWhatTheyAre) {
  add_workers(1, WorkerKind::kOpenmpThread, Runtime::kOpenmp);
  region(7, 1, now_, kNotYet);
  const int64_t begin_ns = now_;
  for (const WorkerState state :
       {WorkerState::kWork, WorkerState::kLock, WorkerState::kWork, WorkerState::kTarget}) {
    states_.set(1, state, now_);
    now_ += 10;
  }
  states_.set(1, WorkerState::kWork, now_);
  now_ += 5;
  wait(WaitKind::kMpi, now_, kNotYet, 1);
  now_ += 15;
  wait(WaitKind::kMpi, now_ - 15, now_, 1);
  now_ += 2;
  region(7, 1, begin_ns, now_);
  const auto workers = finish();
  EXPECT_EQ(workers[0].labels[Label::kLock], 10);
  EXPECT_EQ(workers[0].labels[Label::kDevice], 10);
  EXPECT_EQ(workers[0].labels[Label::kMpi], 15);
  EXPECT_EQ(workers[0].labels[Label::kWork], 20 + 5 + 2);
}

/// Whatever the order of rows: sums are exact, and the time × 2 has every label × 2.
TEST_F(AnalysisWorkerTimes, SumsAreExactForRandomRuns) {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    std::vector<LabelSums> sums;
    for (const int64_t scale : {1, 2}) {
      NameIds names;
      RowsBuilder rows(names);
      Tasks tasks(rows);
      WorkerStates states(rows);
      std::minstd_rand random(seed);
      WorkerTimes times;
      Sink sink(times);
      rows.add_sink(&sink);
      constexpr WorkerId kWorkers = 4;
      int64_t now = 0;
      for (uint32_t i = 0; i < kWorkers; ++i) {
        WorkerRow row;
        row.id = states.add(now);
        row.number = i;
        row.runtime = Runtime::kStarpu;
        states.describe(row);
      }
      std::vector<Tasks::Ref> queue;
      std::vector<Tasks::Ref> running(kWorkers + 1, Tasks::kNone);
      Tasks::Ref before = Tasks::kNone;
      for (int i = 0; i < 3000; ++i) {
        now += scale * static_cast<int64_t>(random() % 20);
        const auto worker = static_cast<WorkerId>(1 + random() % kWorkers);
        switch (random() % 4) {
          case 0: {
            TaskRow row;
            row.runtime = Runtime::kStarpu;
            row.submitted_by = kMain;
            const Tasks::Ref task = tasks.submit(row, now);
            if (before != Tasks::kNone && random() % 3 == 0)
              tasks.depend(task, before, EdgeCause::kData);
            tasks.settle(task, now, kMain, false);
            if (tasks.is_ready(task)) queue.push_back(task);
            before = task;
            break;
          }
          case 1:
            if (running[worker] != Tasks::kNone || queue.empty()) break;
            running[worker] = queue.back();
            queue.pop_back();
            states.set(worker, WorkerState::kSchedule, now, tasks.id(running[worker]));
            tasks.step(running[worker], StepKind::kTaken, now, 0, worker);
            tasks.begin(running[worker], now, 0, worker);
            states.set(worker, WorkerState::kWork, now, tasks.id(running[worker]));
            break;
          case 2:
            if (running[worker] == Tasks::kNone) break;
            states.set(worker, WorkerState::kIdle, now);
            tasks.end(running[worker], now, 0, worker);
            tasks.finish(running[worker], now, 0);
            running[worker] = Tasks::kNone;
            break;
          default:
            if (running[worker] == Tasks::kNone) {
              constexpr WorkerState kOthers[] = {WorkerState::kIdle, WorkerState::kCallback,
                                                 WorkerState::kPaused, WorkerState::kSchedule};
              states.set(worker, kOthers[random() % 4], now);
            }
        }
        rows.end_record(now);
      }
      states.finish(now);
      rows.flush(now);
      times.finish();
      LabelSums total;
      for (const WorkerTimes::Worker& worker : times.workers()) {
        EXPECT_EQ(worker.labels.total(), times.time_ns());
        EXPECT_EQ(worker.labels[Label::kUnexplained], 0);
        total += worker.labels;
      }
      EXPECT_GT(total[Label::kWork], 0);
      sums.push_back(total);
    }
    for_each_label(
        [&](Label label) { EXPECT_EQ(2 * sums[0][label], sums[1][label]) << id_of(label); });
  }
}

}  // namespace
}  // namespace perseid
