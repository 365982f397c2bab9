// tests/unit/timeline/model/data_order_test.cpp: groups of accesses to one piece of data.
#include "timeline/model/data_order.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/stream/row_sink.h"
#include "timeline/model/names.h"

namespace perseid {
namespace {

class ModelDataOrder : public testing::Test {
 protected:
  using Ids = std::vector<TaskId>;
  static constexpr DataId kData = 7;

  Tasks::Ref submit() {
    const Tasks::Ref task = tasks_.submit(TaskRow{}, 0);
    refs_.push_back(task);
    return task;
  }
  /// Ids of the tasks that the new one waits for.
  Ids access(AccessKind kind) {
    const Tasks::Ref task = submit();
    order_.access(tasks_, kind, task, kData, 0);
    tasks_.settle(task, 0, 0, false);
    return predecessors(task);
  }
  Ids predecessors(Tasks::Ref task) {
    test::RowSink rows;
    rows.edges = rows_.current().edges;
    return rows.predecessors(tasks_.id(task));
  }
  void finish_and_release_all() {
    for (const Tasks::Ref task : refs_) {
      tasks_.finish(task, 1, 0);
      tasks_.release(task, 1);
    }
  }
  size_t edges() const { return rows_.current().edges.size(); }

  NameIds names_;
  RowsBuilder rows_{names_};
  Tasks tasks_{rows_};
  DataOrder order_;
  std::vector<Tasks::Ref> refs_;
};

TEST_F(ModelDataOrder, WritersFollowEachOther) {
  EXPECT_EQ(access(AccessKind::kWrite), Ids{});
  EXPECT_EQ(access(AccessKind::kWrite), Ids{1});
  EXPECT_EQ(access(AccessKind::kWrite), Ids{2});
  EXPECT_EQ(rows_.current().edges[0].data, kData);
}

TEST_F(ModelDataOrder, MembersOfAGroupFollowTheGroupBefore) {
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kCommutingWrite,
                                AccessKind::kExclusiveSet, AccessKind::kReduction}) {
    access(AccessKind::kWrite);
    const TaskId writer = tasks_.submitted();
    EXPECT_EQ(access(kind), Ids{writer});
    EXPECT_EQ(access(kind), Ids{writer});
    EXPECT_EQ(access(AccessKind::kWrite), (Ids{writer + 1, writer + 2}));
  }
}

TEST_F(ModelDataOrder, GroupsOfDifferentKindsFollowEachOther) {
  access(AccessKind::kRead);
  access(AccessKind::kRead);
  EXPECT_EQ(access(AccessKind::kCommutingWrite), (Ids{1, 2}));
  EXPECT_EQ(access(AccessKind::kCommutingWrite), (Ids{1, 2}));
  EXPECT_EQ(access(AccessKind::kExclusiveSet), (Ids{3, 4}));
  EXPECT_EQ(access(AccessKind::kRead), Ids{5});
}

TEST_F(ModelDataOrder, TwoGroupsNeedAsManyEdgesAsTheyHaveMembers) {
  constexpr size_t kMembers = 1000;
  for (size_t i = 0; i < kMembers; ++i) {
    order_.access(tasks_, AccessKind::kRead, submit(), kData, 0);
  }
  EXPECT_EQ(edges(), kMembers);
  for (size_t i = 0; i < kMembers; ++i) {
    order_.access(tasks_, AccessKind::kCommutingWrite, submit(), kData, 0);
  }
  EXPECT_EQ(edges(), 3 * kMembers);
  EXPECT_EQ(predecessors(refs_.back()).size(), kMembers);
}

TEST_F(ModelDataOrder, ReadersThatAreFinishedTakeNoMemory) {
  constexpr int kReaders = 100'000;
  for (int i = 0; i < kReaders; ++i) {
    const Tasks::Ref reader = tasks_.submit(TaskRow{}, 0);
    order_.access(tasks_, AccessKind::kRead, reader, kData, 0);
    tasks_.settle(reader, 0, 0, false);
    tasks_.finish(reader, 0, 0);
    tasks_.release(reader, 0);
    rows_.end_record(0);
  }
  EXPECT_LE(tasks_.capacity(), 4u);
  const Tasks::Ref writer = submit();
  order_.access(tasks_, AccessKind::kWrite, writer, kData, 0);
  EXPECT_FALSE(tasks_.is_blocked(writer));
}

TEST_F(ModelDataOrder, WhatIsFollowedComesBeforeAllThatCome) {
  const Tasks::Ref all = submit();
  order_.follow(tasks_, all);
  EXPECT_EQ(order_.latest(), all);
  EXPECT_EQ(access(AccessKind::kRead), Ids{1});
  EXPECT_EQ(access(AccessKind::kRead), Ids{1});
  EXPECT_EQ(access(AccessKind::kWrite), (Ids{2, 3}));
}

TEST_F(ModelDataOrder, AJoiningTaskStandsBetweenAReductionAndItsReaders) {
  access(AccessKind::kReduction);
  access(AccessKind::kReduction);
  const Tasks::Ref reader = submit();
  order_.access(tasks_, AccessKind::kRead, reader, kData, 0);
  tasks_.settle(reader, 0, 0, false);
  const Tasks::Ref joining = submit();
  order_.join_reduction(tasks_, joining, kData, 0);
  tasks_.settle(joining, 0, 0, false);
  EXPECT_EQ(predecessors(joining), (Ids{1, 2}));
  EXPECT_EQ(predecessors(reader), (Ids{1, 2, 4}));
}

TEST_F(ModelDataOrder, AnOrderThatIsClearedHoldsNobody) {
  for (const AccessKind kind : {AccessKind::kWrite, AccessKind::kRead, AccessKind::kRead,
                                AccessKind::kReduction, AccessKind::kReduction, AccessKind::kRead,
                                AccessKind::kCommutingWrite, AccessKind::kCommutingWrite}) {
    access(kind);
  }
  order_.clear(tasks_, 0);
  finish_and_release_all();
  EXPECT_EQ(tasks_.size(), 0u);
}

}  // namespace
}  // namespace perseid
