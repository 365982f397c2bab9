// tests/unit/timeline/symbols/module_table_test.cpp: which library an address is in.
#include "timeline/symbols/module_table.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(ModuleTable, FindsTheFileAroundAnAddress) {
  const ModuleTable table(
      "module 10 1000 2000 1000 abcd /bin/a b\n"
      "module 10 5000 6000 0 - /lib/c.so\n");
  ASSERT_NE(table.find(0x1fff, 0), nullptr);
  EXPECT_EQ(table.find(0x1fff, 0)->path, "/bin/a b");
  EXPECT_EQ(table.find(0x1fff, 0)->file_name(), "a b");
  EXPECT_EQ(table.find(0x1fff, 0)->build_id, "abcd");
  EXPECT_EQ(table.find(0x2000, 0), nullptr);
  EXPECT_EQ(table.find(0x5000, 0)->build_id, "");
  EXPECT_FALSE(table.is_ambiguous());
  EXPECT_EQ(table.bad_lines(), 0u);
}

TEST(ModuleTable, TimeDecidesWhereOneFileCameAfterAnother) {
  const ModuleTable table(
      "module 10 1000 2000 1000 - /lib/first.so\n"
      "module 100 1800 3000 1800 - /lib/second.so\n");
  EXPECT_TRUE(table.is_ambiguous());
  EXPECT_EQ(table.find(0x1900, 0x50)->path, "/lib/first.so");
  EXPECT_EQ(table.find(0x1900, 0x100)->path, "/lib/second.so");
  EXPECT_EQ(table.find(0x2900, 0x50)->path, "/lib/second.so");
}

TEST(ModuleTable, BadLinesAreCountedAndACutLineIsLeftOut) {
  const ModuleTable table(
      "module x 1000 2000 1000 - /a\n"
      "module 1 2000 1000 0 - /backwards\n"
      "nonsense\n"
      "module 1 1000 2000 0 -\n"
      "module 1 1000 2000 0 - /good\n"
      "module 1 3000 4000 0 - /cut");
  EXPECT_EQ(table.bad_lines(), 4u);
  ASSERT_EQ(table.all().size(), 1u);
  EXPECT_EQ(table.all()[0].path, "/good");
}

}  // namespace
}  // namespace perseid
