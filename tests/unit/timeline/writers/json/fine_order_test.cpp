// tests/unit/timeline/writers/json/fine_order_test.cpp: what meets has an order also in fractions.
#include "timeline/writers/json/fine_order.h"

#include <gtest/gtest.h>

#include "timeline/writers/byte_buffer.h"

namespace perseid {
namespace {

Slice slice(int64_t begin_ns, int64_t end_ns, uint32_t depth, bool begins_with_parent = false) {
  Slice made;
  made.begin_ns = begin_ns;
  made.end_ns = end_ns;
  made.depth = depth;
  made.begins_with_parent = begins_with_parent;
  return made;
}

std::string printed(int64_t ns, int hundredths) {
  ByteBuffer text;
  text.reserve(64);
  text.microseconds(ns, hundredths);
  return std::string(text.view());
}

TEST(FineOrder, WhatMeetsNothingStaysWhereItIs) {
  FineOrder order;
  for (const Slice& each : {slice(11, 12, 1), slice(10, 20, 0), slice(21, 30, 0)}) {
    const FinePlace place = order.place(each);
    EXPECT_EQ(place.begin, 0);
    EXPECT_EQ(place.end, 0);
  }
}

TEST(FineOrder, EndsComeFromTheInnermostToTheOutermost) {
  FineOrder order;
  const int leaf = order.place(slice(12, 20, 2)).end;
  const int child = order.place(slice(11, 20, 1)).end;
  const int parent = order.place(slice(10, 20, 0)).end;
  EXPECT_LT(leaf, child);
  EXPECT_LT(child, parent);
  EXPECT_LT(parent, order.place(slice(20, 30, 0)).begin);
}

TEST(FineOrder, BeginsComeFromTheOutermostToTheInnermost) {
  FineOrder order;
  const int before = order.place(slice(0, 10, 0)).end;
  const int leaf = order.place(slice(10, 12, 2, true)).begin;
  const int child = order.place(slice(10, 15, 1, true)).begin;
  const int parent = order.place(slice(10, 20, 0)).begin;
  EXPECT_LT(before, parent);
  EXPECT_LT(parent, child);
  EXPECT_LT(child, leaf);
}

TEST(FineOrder, SeesTheSliceBeforeAlsoAcrossWhatIsInside) {
  FineOrder order;
  order.place(slice(0, 10, 0));
  order.place(slice(11, 12, 1));
  EXPECT_GT(order.place(slice(10, 20, 0)).begin, 0);
}

TEST(FineOrder, PointsFollowEachOtherAfterAllThatBegins) {
  FineOrder order;
  const FinePlace first = order.place(slice(10, 10, 1));
  const FinePlace second = order.place(slice(10, 10, 1));
  EXPECT_LT(first.begin, first.end);
  EXPECT_LT(first.end, second.begin);
  EXPECT_LT(order.place(slice(10, 20, 40, true)).begin, first.begin);
  for (int i = 0; i < 10; ++i) EXPECT_LT(order.place(slice(30, 30, 1)).end, 50);
}

TEST(FineOrder, InstantsWithArrowsLieBeforeTheEndTheyMeet) {
  FineOrder order;
  const FlowEnd end{1, false, 10, 5};
  Slice instant = slice(10, 10, 1);
  instant.is_instant = true;
  EXPECT_EQ(order.place(instant).begin, 0);
  instant.flows = {&end, 1};
  EXPECT_LT(order.place(instant).begin, 0);
  instant.begin_ns = instant.end_ns = 0;
  EXPECT_EQ(order.place(instant).begin, 0);
}

TEST(FineOrder, DeepNestingStaysWithinTheNanosecond) {
  FineOrder order;
  for (uint32_t depth = 100; depth-- > 0;) {
    const FinePlace place = order.place(slice(10, 20, depth, depth > 0));
    EXPECT_LT(place.begin, 50);
    EXPECT_LT(place.end, 20);
  }
}

TEST(FineOrder, EndsWhereFractionsAreTooCoarse) {
  FineOrder order;
  const int64_t late = FineOrder::kUntilNs;
  order.place(slice(late - 10, late, 0));
  EXPECT_EQ(order.place(slice(late, late + 10, 0)).begin, 0);
}

TEST(FineOrder, HundredthsAreTwoMoreDigits) {
  EXPECT_EQ(printed(1'234'567, 0), "1234.567");
  EXPECT_EQ(printed(1'234'567, 5), "1234.56705");
  EXPECT_EQ(printed(1'234'567, -5), "1234.56695");
  EXPECT_EQ(printed(1'000, -40), "0.99960");
  EXPECT_EQ(printed(0, 45), "0.00045");
}

}  // namespace
}  // namespace perseid
