// tests/unit/timeline/model/tasks_test.cpp: lives of tasks, and who waits for whom.
#include "timeline/model/tasks.h"

#include <gtest/gtest.h>

#include <vector>

#include "timeline/model/names.h"

namespace perseid {
namespace {

#ifdef PERSEID_SANITIZED
constexpr int kMany = 20'000;
#else
constexpr int kMany = 100'000;
#endif

class ModelTasks : public testing::Test {
 protected:
  using Kinds = std::vector<StepKind>;

  /// Edges to it may follow.
  Tasks::Ref submit(uint32_t flags = 0) {
    TaskRow row;
    row.flags = flags;
    return tasks_.submit(row, now_);
  }
  Tasks::Ref settled(uint32_t flags = 0) {
    const Tasks::Ref task = submit(flags);
    tasks_.settle(task, now_, 0, false);
    return task;
  }
  void run(Tasks::Ref task) {
    tasks_.begin(task, now_, 1, 1);
    tasks_.end(task, now_, 1, 1);
    tasks_.finish(task, now_, 1);
  }
  Kinds steps_of(NodeId node) const {
    Kinds kinds;
    for (const StepRow& step : rows_.current().steps) {
      if (step.task == node) kinds.push_back(step.kind);
    }
    return kinds;
  }
  const StepRow* find(NodeId node, StepKind kind) const {
    for (const StepRow& step : rows_.current().steps) {
      if (step.task == node && step.kind == kind) return &step;
    }
    return nullptr;
  }

  int64_t now_ = 10;
  NameIds names_;
  RowsBuilder rows_{names_};
  Tasks tasks_{rows_};
};

TEST_F(ModelTasks, ALifeIsItsStepsInOrder) {
  const Tasks::Ref task = settled();
  EXPECT_EQ(tasks_.id(task), 1u);
  run(task);
  tasks_.release(task, now_);
  EXPECT_EQ(steps_of(1), (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kBegin,
                                StepKind::kEnd, StepKind::kFinished, StepKind::kRetired}));
}

TEST_F(ModelTasks, ATaskIsReadyWhenItsLastPredecessorIsFinished) {
  const Tasks::Ref first = settled();
  const Tasks::Ref second = settled();
  const Tasks::Ref after = submit();
  tasks_.depend(after, first, EdgeCause::kData, 3);
  tasks_.depend(after, second, EdgeCause::kDeclared);
  tasks_.settle(after, now_, 0, false);
  EXPECT_TRUE(tasks_.is_blocked(after));
  run(second);
  EXPECT_FALSE(tasks_.is_ready(after));
  now_ = 50;
  run(first);
  EXPECT_TRUE(tasks_.is_ready(after));
  EXPECT_EQ(tasks_.ready_ns(after), 50);
  EXPECT_EQ(find(tasks_.id(after), StepKind::kReady)->after, tasks_.id(first));
  EXPECT_EQ(tasks_.predecessors(after), 2u);
}

TEST_F(ModelTasks, ARuntimeMayReportItselfThatATaskIsReady) {
  const Tasks::Ref task = submit();
  tasks_.settle(task, now_, 0, true);
  EXPECT_FALSE(tasks_.is_ready(task));
  tasks_.ready(task, 20, 0);
  EXPECT_TRUE(tasks_.is_ready(task));
  EXPECT_EQ(tasks_.ready_ns(task), 20);
}

TEST_F(ModelTasks, DependencesThatAreReportedLateMakeATaskReadyAgain) {
  const Tasks::Ref before = settled();
  const Tasks::Ref task = settled();
  EXPECT_TRUE(tasks_.is_ready(task));
  tasks_.depend(task, before, EdgeCause::kData);
  EXPECT_FALSE(tasks_.is_ready(task));
  now_ = 50;
  run(before);
  EXPECT_TRUE(tasks_.is_ready(task));
  EXPECT_EQ(tasks_.ready_ns(task), 50);
}

TEST_F(ModelTasks, ATaskThatRunsAlreadyDoesNotBecomeReady) {
  const Tasks::Ref before = settled();
  const Tasks::Ref task = submit();
  tasks_.depend(task, before, EdgeCause::kData);
  tasks_.settle(task, now_, 0, false);
  tasks_.begin(task, now_, 1, 1);
  run(before);
  EXPECT_EQ(find(tasks_.id(task), StepKind::kReady), nullptr);
}

TEST_F(ModelTasks, AGroupIsFinishedWithItsLastMember) {
  const Tasks::Ref a = settled();
  const Tasks::Ref b = settled();
  const Tasks::Ref group = tasks_.make_group();
  const NodeId id = tasks_.id(group);
  EXPECT_TRUE(is_group(id));
  tasks_.depend(group, a, EdgeCause::kMember);
  tasks_.depend(group, b, EdgeCause::kMember);
  run(a);
  run(b);
  EXPECT_FALSE(tasks_.is_finished(group));  // more members may come
  const Tasks::Ref after = submit();
  tasks_.depend(after, group, EdgeCause::kData);
  tasks_.settle(after, now_, 0, false);
  tasks_.seal(group, now_);
  EXPECT_TRUE(tasks_.is_finished(group));
  EXPECT_EQ(find(id, StepKind::kFinished)->after, tasks_.id(b));
  EXPECT_TRUE(tasks_.is_ready(after));
  tasks_.release(group, now_);
  EXPECT_EQ(steps_of(id), (Kinds{StepKind::kFinished, StepKind::kRetired}));
}

TEST_F(ModelTasks, AGroupThatNobodyHoldsIsSealed) {
  const Tasks::Ref a = settled();
  const Tasks::Ref group = tasks_.make_group();
  const NodeId id = tasks_.id(group);
  tasks_.depend(group, a, EdgeCause::kMember);
  tasks_.release(group, now_);
  EXPECT_EQ(steps_of(id), Kinds{});
  run(a);
  EXPECT_EQ(steps_of(id), (Kinds{StepKind::kFinished, StepKind::kRetired}));
}

TEST_F(ModelTasks, ALongChainOfTasksWithoutWorkEndsWithTheFirst) {
  const Tasks::Ref first = settled();
  Tasks::Ref last = first;
  for (int i = 0; i < kMany; ++i) {
    const Tasks::Ref next = submit(kTaskWithoutWork);
    tasks_.depend(next, last, EdgeCause::kDeclared);
    tasks_.settle(next, now_, 0, false);
    if (i > 0) tasks_.release(last, now_);
    last = next;
  }
  EXPECT_FALSE(tasks_.is_finished(last));
  run(first);
  EXPECT_TRUE(tasks_.is_finished(last));
  tasks_.release(first, now_);
  tasks_.release(last, now_);
  EXPECT_EQ(tasks_.size(), 0u);
}

TEST_F(ModelTasks, ATaskEndsWithOthers) {
  const Tasks::Ref task = settled();
  const Tasks::Ref other = settled();
  EXPECT_TRUE(tasks_.end_with(task, other));
  run(task);
  EXPECT_FALSE(tasks_.is_finished(task));
  now_ = 70;
  run(other);
  EXPECT_TRUE(tasks_.is_finished(task));
  EXPECT_EQ(find(tasks_.id(task), StepKind::kFinished)->ns, 70);
}

TEST_F(ModelTasks, TasksThatWouldEndWithEachOtherAreRefused) {
  const Tasks::Ref a = settled();
  const Tasks::Ref b = settled();
  const Tasks::Ref c = settled();
  EXPECT_FALSE(tasks_.end_with(a, a));
  EXPECT_TRUE(tasks_.end_with(a, b));
  EXPECT_TRUE(tasks_.end_with(b, c));
  EXPECT_FALSE(tasks_.end_with(c, a));
  for (const Tasks::Ref task : {a, b, c}) run(task);
  for (const Tasks::Ref task : {a, b, c}) EXPECT_TRUE(tasks_.is_finished(task));
}

TEST_F(ModelTasks, AFinishedTaskIsRetiredByTheLastWhoHoldsIt) {
  const Tasks::Ref task = settled();
  tasks_.hold(task);
  run(task);
  tasks_.release(task, now_);
  EXPECT_EQ(find(1, StepKind::kRetired), nullptr);
  tasks_.release(task, now_);
  EXPECT_NE(find(1, StepKind::kRetired), nullptr);
  EXPECT_EQ(tasks_.size(), 0u);
}

TEST_F(ModelTasks, ATaskThatNobodyHoldsIsRetiredWhenItIsFinished) {
  const Tasks::Ref before = settled();
  const Tasks::Ref task = submit(kTaskWithoutWork);
  const NodeId id = tasks_.id(task);
  tasks_.depend(task, before, EdgeCause::kDeclared);
  tasks_.settle(task, now_, 0, false);
  tasks_.release(task, now_);
  EXPECT_EQ(find(id, StepKind::kRetired), nullptr);
  run(before);
  EXPECT_EQ(steps_of(id), (Kinds{StepKind::kSubmitted, StepKind::kReady, StepKind::kFinished,
                                 StepKind::kRetired}));
}

/// The place of a task that went early is another's by the time its predecessor finishes.
TEST_F(ModelTasks, AReusedPlaceIsNotTakenForTheTaskBefore) {
  const Tasks::Ref before = settled();
  const Tasks::Ref gone = submit();
  tasks_.depend(gone, before, EdgeCause::kData);
  tasks_.settle(gone, now_, 0, false);
  tasks_.finish(gone, now_, 0);  // its end came without the predecessor's
  tasks_.release(gone, now_);
  const Tasks::Ref other = submit();
  ASSERT_EQ(other, gone);
  const Tasks::Ref blocker = settled();
  tasks_.depend(other, blocker, EdgeCause::kData);
  tasks_.settle(other, now_, 0, false);
  run(before);
  EXPECT_TRUE(tasks_.is_blocked(other));
  run(blocker);
  EXPECT_FALSE(tasks_.is_blocked(other));
}

TEST_F(ModelTasks, MemoryIsThatOfTasksThatAreOpen) {
  for (int i = 0; i < kMany; ++i) {
    const Tasks::Ref task = settled();
    run(task);
    tasks_.release(task, now_);
    rows_.end_record(now_);
  }
  EXPECT_EQ(tasks_.capacity(), 1u);
  EXPECT_EQ(tasks_.submitted(), static_cast<uint64_t>(kMany));
}

}  // namespace
}  // namespace perseid
