// tests/unit/ompt/dependences_test.cpp: predecessors from the order of accesses.
#include "ompt/decode/dependences.h"

#include <gtest/gtest.h>

#include "ompt/events.h"
#include "ompt/numbers.h"
#include "tests/stream/row_sink.h"

namespace perseid::ompt {
namespace {

uint64_t word(DependenceType type, uint64_t address) {
  return uint64_t{static_cast<uint32_t>(type)} << kDependenceTypeShift | address;
}

class Dependences : public testing::Test {
 protected:
  using Numbers = std::vector<uint64_t>;

  /// The numbers, from 1 on, of the tasks that a new one depends on.
  Numbers add(const std::vector<uint64_t>& words) {
    const Tasks::Ref task = submit();
    const uint64_t count = scope_.add(tasks_, task, words, 0);
    test::RowSink rows;
    rows.edges = rows_.current().edges;
    Numbers numbers = rows.predecessors(tasks_.id(task));
    EXPECT_EQ(count, numbers.size());
    return numbers;
  }
  Tasks::Ref submit() {
    const Tasks::Ref task = tasks_.submit(TaskRow{}, 0);
    tasks_.settle(task, 0, 0, false);
    return task;
  }

  NameIds names_;
  RowsBuilder rows_{names_};
  Tasks tasks_{rows_};
  DependenceScope scope_;
};

TEST_F(Dependences, ReadersFollowTheWriterAndTheNextWriterFollowsTheReaders) {
  EXPECT_EQ(add({word(DependenceType::kOut, 8)}), Numbers{});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{1});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{1});
  EXPECT_EQ(add({word(DependenceType::kInout, 8)}), (Numbers{2, 3}));
  EXPECT_EQ(add({word(DependenceType::kInout, 8)}), Numbers{4});
}

TEST_F(Dependences, MembersOfASetDoNotFollowEachOther) {
  for (const DependenceType set : {DependenceType::kMutexinoutset, DependenceType::kInoutset}) {
    const uint64_t address = 16 * uint64_t{static_cast<uint32_t>(set)};
    add({word(DependenceType::kOut, address)});
    const uint64_t writer = tasks_.submitted();
    EXPECT_EQ(add({word(set, address)}), Numbers{writer});
    EXPECT_EQ(add({word(set, address)}), Numbers{writer});
    EXPECT_EQ(add({word(DependenceType::kIn, address)}), (Numbers{writer + 1, writer + 2}));
  }
}

TEST_F(Dependences, EachPredecessorCountsOnceAndNoTaskFollowsItself) {
  add({word(DependenceType::kOut, 8), word(DependenceType::kOut, 16)});
  EXPECT_EQ(add({word(DependenceType::kIn, 8), word(DependenceType::kIn, 16)}), Numbers{1});
  EXPECT_EQ(add({word(DependenceType::kIn, 8), word(DependenceType::kOut, 8)}), Numbers{2});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{3});
}

TEST_F(Dependences, APredecessorInSeveralGroupsCountsOnce) {
  for (int i = 0; i < 3; ++i) {
    add({word(DependenceType::kIn, 8), word(DependenceType::kIn, 16)});
  }
  EXPECT_EQ(add({word(DependenceType::kOut, 8), word(DependenceType::kOut, 16)}),
            (Numbers{1, 2, 3}));
}

TEST_F(Dependences, AllOfMemoryFollowsEverythingAndIsFollowedByEverything) {
  add({word(DependenceType::kOut, 8)});
  add({word(DependenceType::kIn, 16)});
  EXPECT_EQ(add({word(DependenceType::kOutAllMemory, 0)}), (Numbers{1, 2}));
  EXPECT_EQ(add({word(DependenceType::kIn, 24)}), Numbers{3});
  EXPECT_EQ(add({word(DependenceType::kOut, 8)}), Numbers{3});
  EXPECT_EQ(add({word(DependenceType::kInoutAllMemory, 0)}), (Numbers{3, 4, 5}));
}

TEST_F(Dependences, AnAddressKeepsItsNumberAfterAnAccessToAllOfMemory) {
  add({word(DependenceType::kOut, 8)});
  add({word(DependenceType::kOutAllMemory, 0)});
  add({word(DependenceType::kOut, 8)});
  EXPECT_EQ(rows_.current().data.size(), 1u);
}

TEST_F(Dependences, EachOfManyReadersCounts) {
  constexpr size_t kReaders = 2000;
  for (size_t i = 0; i < kReaders; ++i) {
    const Tasks::Ref reader = submit();
    scope_.add(tasks_, reader, std::vector<uint64_t>{word(DependenceType::kIn, 8)}, 0);
  }
  const Numbers numbers = add({word(DependenceType::kOut, 8)});
  EXPECT_EQ(numbers.size(), kReaders);
  EXPECT_EQ(numbers.back(), kReaders);
}

TEST_F(Dependences, AScopeThatIsClearedHoldsNobody) {
  std::vector<Tasks::Ref> tasks;
  for (const uint64_t access :
       {word(DependenceType::kOut, 8), word(DependenceType::kIn, 8), word(DependenceType::kIn, 8),
        word(DependenceType::kOutAllMemory, 0), word(DependenceType::kInoutset, 16)}) {
    tasks.push_back(submit());
    scope_.add(tasks_, tasks.back(), std::vector<uint64_t>{access}, 0);
  }
  scope_.clear(tasks_, 0);
  for (const Tasks::Ref task : tasks) {
    EXPECT_EQ(tasks_.holders(task), 1u);
    tasks_.finish(task, 1, 0);
    tasks_.release(task, 1);
  }
  EXPECT_EQ(tasks_.size(), 0u);
}

}  // namespace
}  // namespace perseid::ompt
