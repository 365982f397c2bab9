// tests/unit/timeline/drawing/data_order_test.cpp: groups of accesses to one piece of data.
#include "timeline/drawing/data_order.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace perseid {
namespace {

class Order {
 public:
  /// Numbers of the earlier accesses that this one waits for.
  std::vector<uint64_t> access(AccessKind kind) {
    nodes_.push_back(std::make_shared<DependencyNode>());
    nodes_.back()->task = nodes_.size();
    std::vector<NodeRef> waits;
    order_.access(kind, nodes_.back(), waits);
    std::vector<uint64_t> numbers;
    for (const NodeRef& node : waits) numbers.push_back(node->task);
    return numbers;
  }
  DataOrder& order() { return order_; }

 private:
  DataOrder order_;
  std::vector<NodeRef> nodes_;
};

using Numbers = std::vector<uint64_t>;

TEST(DataOrder, GroupsFollowEachOther) {
  Order order;
  EXPECT_EQ(order.access(AccessKind::kRead), Numbers{});
  EXPECT_EQ(order.access(AccessKind::kRead), Numbers{});
  EXPECT_EQ(order.access(AccessKind::kWrite), (Numbers{1, 2}));
  EXPECT_EQ(order.access(AccessKind::kWrite), Numbers{3});
  EXPECT_EQ(order.access(AccessKind::kCommutingWrite), Numbers{4});
  EXPECT_EQ(order.access(AccessKind::kCommutingWrite), Numbers{4});
  EXPECT_EQ(order.access(AccessKind::kReduction), (Numbers{5, 6}));
  EXPECT_EQ(order.access(AccessKind::kReduction), (Numbers{5, 6}));
  EXPECT_EQ(order.access(AccessKind::kRead), (Numbers{7, 8}));
}

TEST(DataOrder, AGroupRemembersItsLatestMembersOnly) {
  Order order;
  const auto most = DataOrder::kMaxMembers;
  for (size_t i = 0; i < most + 10; ++i) order.access(AccessKind::kRead);
  const Numbers waits = order.access(AccessKind::kWrite);
  EXPECT_EQ(waits.size(), most);
  EXPECT_EQ(*std::min_element(waits.begin(), waits.end()), 11u);
}

TEST(DataOrder, TheJoinOfAReductionIsWaitedForByThoseWhoWaitAlready) {
  Order order;
  order.access(AccessKind::kReduction);
  order.access(AccessKind::kRead);
  const NodeRef join = std::make_shared<DependencyNode>();
  std::vector<NodeRef> waits;
  const auto waiting = order.order().join_reduction(join, waits);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0]->task, 1u);
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0]->task, 2u);
}

TEST(DataOrder, WithoutAReductionNothingIsJoined) {
  Order order;
  order.access(AccessKind::kWrite);
  order.access(AccessKind::kRead);
  std::vector<NodeRef> waits;
  EXPECT_TRUE(order.order().join_reduction(std::make_shared<DependencyNode>(), waits).empty());
  EXPECT_TRUE(waits.empty());
}

TEST(DependencyBudget, ANodeThatWasClosedWithoutItsEndTakesNoArrow) {
  DependencyBudget budget(1);
  DependencyNode node;
  node.state = DependencyNode::State::kOpen;
  node.out.id = 7;
  EXPECT_EQ(budget.draw(node, 5).id, 7u);
  EXPECT_TRUE(budget.close(node, false));
  EXPECT_EQ(budget.draw(node, 5).id, 0u);  // the limit
  DependencyNode other;
  other.state = DependencyNode::State::kOpen;
  EXPECT_FALSE(budget.close(other, true));
  EXPECT_EQ(other.state, DependencyNode::State::kHidden);
  EXPECT_EQ(budget.drawn(), 1u);
  EXPECT_EQ(budget.hidden(), 1u);
}

}  // namespace
}  // namespace perseid
