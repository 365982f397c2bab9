// tests/unit/timeline/model/id_table_test.cpp: a hash table by id.
#include "timeline/model/id_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace perseid {
namespace {

TEST(IdTable, HoldsWhatAMapWouldHold) {
  std::mt19937_64 random(7);
  IdTable<uint64_t> table;
  std::map<uint64_t, uint64_t> expected;
  for (int step = 0; step < 50'000; ++step) {
    const uint64_t id = random() % 500 * (step % 2 == 0 ? 1 : uint64_t{1} << 40);
    if (random() % 3 == 0) {
      table.erase(id);
      expected.erase(id);
    } else {
      table[id] = static_cast<uint64_t>(step);
      expected[id] = static_cast<uint64_t>(step);
    }
    ASSERT_EQ(table.size(), expected.size());
  }
  for (const auto& [id, value] : expected) {
    ASSERT_NE(table.find(id), nullptr);
    ASSERT_EQ(*table.find(id), value);
  }
  EXPECT_EQ(table.find(12345678), nullptr);
}

TEST(IdTable, OfNothingFindsNothing) {
  IdTable<int> table;
  EXPECT_EQ(table.find(0), nullptr);
  table.erase(0);
  EXPECT_EQ(table.size(), 0u);
}

}  // namespace
}  // namespace perseid
