// tests/unit/plugin/settings/rank_selection_test.cpp: which ranks a selection names.
#include "plugin/settings/rank_selection.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(RankSelection, AnEmptyOneSelectsAll) {
  EXPECT_TRUE(selects_rank("", 0));
  EXPECT_TRUE(selects_rank("", 12345));
  EXPECT_EQ(selected_ranks("", 8).count, 8u);
  EXPECT_EQ(selected_ranks("", 8).lowest, 0u);
}

TEST(RankSelection, TakesNumbersRangesAndSteps) {
  for (const uint32_t rank : {0u, 4u, 5u, 7u}) EXPECT_TRUE(selects_rank("0,4-7", rank)) << rank;
  for (const uint32_t rank : {1u, 3u, 8u}) EXPECT_FALSE(selects_rank("0,4-7", rank)) << rank;
  EXPECT_TRUE(selects_rank("every:64", 128));
  EXPECT_FALSE(selects_rank("every:64", 127));
  const SelectedRanks found = selected_ranks("3-5,every:8", 16);
  EXPECT_EQ(found.count, 5u);
  EXPECT_EQ(found.lowest, 0u);
}

TEST(RankSelection, NonsenseIsNone) {
  for (const char* text : {"", "x", "3-", "-3", "5-4", "1,", "every:", "every:0", "1;2"}) {
    EXPECT_FALSE(is_rank_selection(text)) << text;
  }
  EXPECT_TRUE(is_rank_selection("0,4-7,every:64"));
}

TEST(RankSelection, TheLowestSelectedRankReports) {
  EXPECT_TRUE(is_reporting_rank({-1, 0}, ""));
  EXPECT_TRUE(is_reporting_rank({0, 4}, ""));
  EXPECT_FALSE(is_reporting_rank({1, 4}, ""));
  EXPECT_FALSE(is_reporting_rank({0, 4}, "2-3"));
  EXPECT_TRUE(is_reporting_rank({2, 4}, "2-3"));
  EXPECT_FALSE(is_reporting_rank({3, 4}, "2-3"));
}

}  // namespace
}  // namespace perseid
