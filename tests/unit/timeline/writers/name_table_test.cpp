// tests/unit/timeline/writers/name_table_test.cpp: names that are written once.
#include "timeline/writers/name_table.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(NameTable, EqualTextsHaveOneNumberWhereverTheyLie) {
  NameTable names;
  const std::string first = "potrf";
  const std::string copy = "potrf";
  EXPECT_EQ(names.number_of(first), 0u);
  EXPECT_EQ(names.number_of("trsm"), 1u);
  EXPECT_EQ(names.number_of(copy), 0u);
  EXPECT_EQ(names.number_of(std::string_view(first).substr(0, 3)), 2u);
  EXPECT_EQ(names.text(2), "pot");
  EXPECT_EQ(names.size(), 3u);
}

TEST(NameTable, AnAddressMayHoldAnotherTextNextTime) {
  NameTable names;
  char buffer[] = "gemm";
  const uint32_t gemm = names.number_of({buffer, 4});
  buffer[0] = 's';
  EXPECT_NE(names.number_of({buffer, 4}), gemm);
  buffer[0] = 'g';
  EXPECT_EQ(names.number_of({buffer, 4}), gemm);
}

TEST(NameTable, AFullTableStillKnowsItsOwn) {
  NameTable names;
  for (uint32_t i = 0; i < NameTable::kMaxNames; ++i) {
    EXPECT_EQ(names.number_of(std::to_string(i)), i);
  }
  EXPECT_EQ(names.number_of("one too many"), NameTable::kNone);
  EXPECT_EQ(names.number_of("77"), 77u);
}

}  // namespace
}  // namespace perseid
