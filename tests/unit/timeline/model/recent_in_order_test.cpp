// tests/unit/timeline/model/recent_in_order_test.cpp: late ids never hide later ones.
#include "timeline/model/recent_in_order.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(RecentInOrder, FindsWhatHasItsPlaceAndKnowsWhatIsPast) {
  RecentInOrder<int, 64> recent;
  EXPECT_EQ(recent.find(5), nullptr);
  EXPECT_FALSE(recent.is_past(5));
  recent.put(5, 50);
  ASSERT_NE(recent.find(5), nullptr);
  EXPECT_EQ(*recent.find(5), 50);
  recent.put(5 + 64, 51);
  EXPECT_EQ(recent.find(5), nullptr);
  EXPECT_TRUE(recent.is_past(5));
  recent.put(5, 52);
  EXPECT_EQ(recent.find(5), nullptr);
  EXPECT_EQ(*recent.find(5 + 64), 51);
}

}  // namespace
}  // namespace perseid
