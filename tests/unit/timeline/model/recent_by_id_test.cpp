// tests/unit/timeline/model/recent_by_id_test.cpp: the latest are found, and no others.
#include "timeline/model/recent_by_id.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace perseid {
namespace {

TEST(RecentById, FindsNothingBeforeTheFirst) {
  RecentById<int, 64> recent;
  EXPECT_EQ(recent.find(0), nullptr);
}

TEST(RecentById, ForgetsTheOldestAndOnlyThat) {
  RecentById<uint64_t, 256> recent;
  for (uint64_t id = 1; id <= 257; ++id) recent.put(id, 10 * id);
  EXPECT_EQ(recent.find(1), nullptr);
  for (uint64_t id = 2; id <= 257; ++id) {
    ASSERT_NE(recent.find(id), nullptr) << id;
    EXPECT_EQ(*recent.find(id), 10 * id);
  }
  EXPECT_EQ(recent.find(258), nullptr);
}

TEST(RecentById, TheLatestValueOfAnIdCounts) {
  RecentById<int, 64> recent;
  recent.put(7, 1);
  recent.put(8, 2);
  recent.put(7, 3);
  EXPECT_EQ(*recent.find(7), 3);
  *recent.find(7) = 4;
  EXPECT_EQ(*recent.find(7), 4);
}

TEST(RecentById, IsRightForIdsInAnyOrder) {
  constexpr size_t kMax = 128;
  RecentById<uint64_t, kMax> recent;
  std::deque<std::pair<uint64_t, uint64_t>> latest;  // newest first
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < 20'000; ++i) {
    const uint64_t id = random() % 300 << (random() % 2 * 32);
    recent.put(id, i);
    latest.emplace_front(id, i);
    if (latest.size() > kMax) latest.pop_back();
    const uint64_t asked = random() % 300;
    const auto known = std::ranges::find(latest, asked, &std::pair<uint64_t, uint64_t>::first);
    const uint64_t* const found = recent.find(asked);
    ASSERT_EQ(found != nullptr, known != latest.end()) << i;
    if (found != nullptr) {
      ASSERT_EQ(*found, known->second) << i;
    }
  }
}

}  // namespace
}  // namespace perseid
