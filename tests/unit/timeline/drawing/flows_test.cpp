// tests/unit/timeline/drawing/flows_test.cpp: ids and ends of arrows.
#include "timeline/drawing/flows.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace perseid {
namespace {

TEST(Flows, GiveEachOutgoingEndAnIdOfItsOwn) {
  Flows flows;
  const FlowEnd first = flows.out(7, 100, 90);
  EXPECT_EQ(flows.in(7, 200)->id, first.id);
  EXPECT_EQ(flows.in(7, 210)->source_begin_ns, 90);
  const FlowEnd second = flows.out(7, 300, 290);
  EXPECT_NE(first.id, second.id);
  EXPECT_EQ(flows.in(7, 400)->id, second.id);
  EXPECT_FALSE(flows.in(8, 400));
  EXPECT_EQ(flows.unmatched(), 1u);
}

TEST(Flows, ForgetTheOldestWhenTooManyNeverArrive) {
  Flows flows;
  for (uint64_t id = 0; id <= Flows::kMaxOpen; ++id) flows.out(id, 1, 1);
  EXPECT_FALSE(flows.in(0, 2));
  EXPECT_TRUE(flows.in(1, 2));
  EXPECT_TRUE(flows.in(Flows::kMaxOpen, 2));
}

TEST(Flows, AnIdInUseAgainOutlivesItsFirstUse) {
  Flows flows;
  flows.out(0, 1, 1);
  const FlowEnd again = flows.out(0, 2, 2);
  for (uint64_t id = 1; id < Flows::kMaxOpen; ++id) flows.out(id, 3, 3);
  ASSERT_TRUE(flows.in(0, 4));
  EXPECT_EQ(flows.in(0, 4)->id, again.id);
}

TEST(Flows, FindTheLatestUseOfEveryIdWhateverTheirOrder) {
  Flows flows;
  std::map<uint64_t, uint64_t> latest;
  std::mt19937_64 random(7);
  constexpr uint64_t kFew = 997;  // ids that are used again and again, far apart and close together
  const auto id = [&] { return (random() % kFew) << (random() % 2 == 0 ? 0 : 40); };
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t used = id();
    latest[used] = flows.out(used, i, i).id;
    const uint64_t asked = id();
    const auto known = latest.find(asked);
    const std::optional<FlowEnd> found = flows.in(asked, i);
    ASSERT_EQ(found.has_value(), known != latest.end()) << asked;
    if (found) {
      ASSERT_EQ(found->id, known->second) << asked;
    }
  }
}

}  // namespace
}  // namespace perseid
