// tests/unit/ompt/dependences_test.cpp: predecessors from the order of accesses.
#include "ompt/decode/dependences.h"

#include <gtest/gtest.h>

#include "ompt/events.h"
#include "ompt/numbers.h"

namespace perseid::ompt {
namespace {

uint64_t word(DependenceType type, uint64_t address) {
  return uint64_t{static_cast<uint32_t>(type)} << kDependenceTypeShift | address;
}

class Dependences : public testing::Test {
 protected:
  /// The numbers, counted from 0, of the tasks that a new one depends on.
  std::vector<size_t> add(const std::vector<uint64_t>& words) {
    nodes_.push_back(std::make_shared<DependenceNode>());
    scope_.add(nodes_.back(), words, budget_);
    std::vector<size_t> numbers;
    for (const NodePtr& predecessor : nodes_.back()->predecessors) {
      numbers.push_back(static_cast<size_t>(std::find(nodes_.begin(), nodes_.end(), predecessor) -
                                            nodes_.begin()));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  using Numbers = std::vector<size_t>;
  DependenceBudget budget_;
  DependenceScope scope_;
  std::vector<NodePtr> nodes_;
};

TEST_F(Dependences, ReadersFollowTheWriterAndTheNextWriterFollowsTheReaders) {
  EXPECT_EQ(add({word(DependenceType::kOut, 8)}), Numbers{});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{0});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{0});
  EXPECT_EQ(add({word(DependenceType::kInout, 8)}), (Numbers{1, 2}));
  EXPECT_EQ(add({word(DependenceType::kInout, 8)}), Numbers{3});
}

TEST_F(Dependences, MembersOfASetDoNotFollowEachOther) {
  for (const DependenceType set : {DependenceType::kMutexinoutset, DependenceType::kInoutset}) {
    const uint64_t address = 16 * uint64_t{static_cast<uint32_t>(set)};
    const size_t writer = nodes_.size();
    add({word(DependenceType::kOut, address)});
    EXPECT_EQ(add({word(set, address)}), Numbers{writer});
    EXPECT_EQ(add({word(set, address)}), Numbers{writer});
    EXPECT_EQ(add({word(DependenceType::kIn, address)}), (Numbers{writer + 1, writer + 2}));
  }
}

TEST_F(Dependences, EachPredecessorCountsOnceAndNoTaskFollowsItself) {
  add({word(DependenceType::kOut, 8), word(DependenceType::kOut, 16)});
  EXPECT_EQ(add({word(DependenceType::kIn, 8), word(DependenceType::kIn, 16)}), Numbers{0});
  EXPECT_EQ(add({word(DependenceType::kIn, 8), word(DependenceType::kOut, 8)}), Numbers{1});
  EXPECT_EQ(add({word(DependenceType::kIn, 8)}), Numbers{2});
}

TEST_F(Dependences, AllOfMemoryFollowsEverythingAndIsFollowedByEverything) {
  add({word(DependenceType::kOut, 8)});
  add({word(DependenceType::kIn, 16)});
  EXPECT_EQ(add({word(DependenceType::kOutAllMemory, 0)}), (Numbers{0, 1}));
  EXPECT_EQ(add({word(DependenceType::kIn, 24)}), Numbers{2});
  EXPECT_EQ(add({word(DependenceType::kOut, 8)}), Numbers{2});
  EXPECT_EQ(add({word(DependenceType::kInoutAllMemory, 0)}), (Numbers{2, 3, 4}));
}

TEST_F(Dependences, AGenerationOfManyReadersIsKept) {
  constexpr size_t kReaders = 2000;
  for (size_t i = 0; i < kReaders; ++i) add({word(DependenceType::kIn, 8)});
  const Numbers numbers = add({word(DependenceType::kOut, 8)});
  EXPECT_EQ(numbers.size(), kReaders);
  EXPECT_EQ(numbers.back(), kReaders - 1);
}

}  // namespace
}  // namespace perseid::ompt
