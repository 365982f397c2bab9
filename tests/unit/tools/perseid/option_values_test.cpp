// tests/unit/tools/perseid/option_values_test.cpp: counts, sizes and times as users type them.
#include "tools/perseid/option_values.h"

#include <gtest/gtest.h>

#include <string>

#include "plugin/settings/timeline_formats.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

TEST(OptionValues, Counts) {
  uint64_t count = 7;
  EXPECT_TRUE(read_count("0", count));
  EXPECT_EQ(count, 0u);
  EXPECT_TRUE(read_count("all", count));
  EXPECT_EQ(count, UINT64_MAX);
  for (const char* const bad : {"", "-1", "1x", "many", "18446744073709551616"}) {
    EXPECT_FALSE(read_count(bad, count)) << bad;
  }
}

TEST(OptionValues, Sizes) {
  uint64_t bytes = 0;
  EXPECT_TRUE(read_size("500M", bytes));
  EXPECT_EQ(bytes, 500u << 20);
  EXPECT_TRUE(read_size("4096", bytes));
  EXPECT_EQ(bytes, 4096u);
  EXPECT_TRUE(read_size("2g", bytes));
  EXPECT_EQ(bytes, uint64_t{2} << 30);
  for (const char* const bad : {"", "M", "1T", "-1M", "18446744073709551615G"}) {
    EXPECT_FALSE(read_size(bad, bytes)) << bad;
  }
}

TEST(OptionValues, TheSettingKnowsTheFormatsThatCanBeWritten) {
  std::string names;
  for (const std::string_view name : kFormats) {
    EXPECT_NE(find_format(name), nullptr) << name;
    names += (names.empty() ? "." : ", .") + std::string(name);
  }
  EXPECT_EQ(names, known_formats());
}

TEST(OptionValues, Times) {
  int64_t ns = 0;
  EXPECT_TRUE(read_time("1.5", ns));
  EXPECT_EQ(ns, 1'500'000'000);
  EXPECT_TRUE(read_time("1.5s", ns));
  EXPECT_EQ(ns, 1'500'000'000);
  EXPECT_TRUE(read_time("20ms", ns));
  EXPECT_EQ(ns, 20'000'000);
  EXPECT_TRUE(read_time("3us", ns));
  EXPECT_EQ(ns, 3000);
  EXPECT_TRUE(read_time("17ns", ns));
  EXPECT_EQ(ns, 17);
  for (const char* const bad : {"", "s", "-1", "1h", "1.5 s", "nan", "1e300"}) {
    EXPECT_FALSE(read_time(bad, ns)) << bad;
  }
}

}  // namespace
}  // namespace perseid
