// tests/unit/timeline/writers/json/tie_order_test.cpp: nesting comes out of the order of bytes.
#include "timeline/writers/json/tie_order.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

Slice slice(int64_t begin_ns, int64_t end_ns, uint32_t depth, bool begins_with_parent) {
  Slice made;
  made.begin_ns = begin_ns;
  made.end_ns = end_ns;
  made.depth = depth;
  made.begins_with_parent = begins_with_parent;
  return made;
}

TEST(TieOrder, WhatTouchesNothingIsWrittenAtOnce) {
  TieOrder ties;
  EXPECT_TRUE(ties.is_quick(slice(10, 20, 0, false)));
  EXPECT_FALSE(ties.is_quick(slice(10, 20, 1, true)));
  EXPECT_FALSE(ties.is_quick(slice(10, 10, 0, false)));
  ties.hold(slice(10, 10, 0, false), "point");
  EXPECT_FALSE(ties.is_quick(slice(30, 40, 0, false)));
}

TEST(TieOrder, ChildrenWaitForTheParentThatBeginsWithThem) {
  TieOrder ties;
  ties.hold(slice(10, 12, 2, true), "grandchild ");
  TieOrder::Released child = ties.release(slice(10, 15, 1, true));
  EXPECT_EQ(child.inside, "grandchild ");
  EXPECT_TRUE(child.has_first_child);
  ties.hold(slice(10, 15, 1, true), "child " + child.inside);
  // A later child of the same parent does not disturb them.
  EXPECT_EQ(ties.release(slice(16, 18, 1, false)).before, "");
  const TieOrder::Released parent = ties.release(slice(10, 20, 0, false));
  EXPECT_EQ(parent.inside, "child grandchild ");
  EXPECT_TRUE(ties.is_empty());
}

TEST(TieOrder, APointGoesIntoWhatBeginsThereAndAfterWhatEndsThere) {
  TieOrder ties;
  ties.hold(slice(10, 10, 1, false), "point ");
  const TieOrder::Released starts = ties.release(slice(10, 20, 1, false));
  EXPECT_EQ(starts.inside, "point ");
  EXPECT_FALSE(starts.has_first_child);

  ties.hold(slice(30, 30, 2, false), "last ");
  const TieOrder::Released ends = ties.release(slice(25, 30, 1, false));
  EXPECT_EQ(ends.after, "last ");
  ties.hold_after(slice(25, 30, 1, false), ends.after);
  EXPECT_EQ(ties.release(slice(5, 30, 0, false)).after, "last ");

  ties.hold(slice(40, 40, 1, false), "between ");
  EXPECT_EQ(ties.release(slice(42, 50, 1, false)).before, "between ");
}

TEST(TieOrder, ASliceGoesBeforeThePointsThatBeginWithItsParentToo) {
  TieOrder ties;
  ties.hold(slice(10, 10, 1, true), "point ");
  EXPECT_EQ(ties.release(slice(10, 15, 2, true)).inside, "");
  ties.hold(slice(10, 15, 2, true), "grandchild ");
  const TieOrder::Released child = ties.release(slice(10, 18, 1, true));
  EXPECT_EQ(child.inside, "grandchild point ");
}

TEST(TieOrder, PointsAtOneTimeKeepTheirOrderAndTheEndTakesAll) {
  TieOrder ties;
  const Slice point = slice(10, 10, 1, false);
  ties.hold(point, "a ");
  EXPECT_EQ(ties.release(point).inside, "");
  ties.hold(point, "b ");
  EXPECT_EQ(ties.release(point).inside, "");
  ties.hold(point, "c ");
  EXPECT_EQ(ties.take_all(), "a b c ");
  EXPECT_TRUE(ties.is_empty());
}

}  // namespace
}  // namespace perseid
