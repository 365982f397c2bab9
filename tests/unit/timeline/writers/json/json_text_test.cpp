// tests/unit/timeline/writers/json/json_text_test.cpp: texts as JSON strings.
#include "timeline/writers/json/json_text.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

std::string printed(std::string_view text) {
  ByteBuffer buffer;
  write_json_text(buffer, text);
  return std::string(buffer.view());
}

TEST(JsonText, KeepsUtf8AndEscapesOnlyWhatItMust) {
  EXPECT_EQ(printed("plain"), "plain");
  EXPECT_EQ(printed("é 日本 🚀 \x7f"), "é 日本 🚀 \x7f");
  EXPECT_EQ(printed("\"\\\n\t\r\x01"), "\\\"\\\\\\n\\t\\u000d\\u0001");
  EXPECT_EQ(printed(std::string_view("\0", 1)), "\\u0000");
}

TEST(JsonText, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(printed("\xff"), "\uFFFD");
  EXPECT_EQ(printed("a\xc3"), "a\uFFFD");
  EXPECT_EQ(printed("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(printed("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(printed("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printed("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(printed("\xf0\x9f\x9a\x80"), "🚀");
}

TEST(JsonText, TakesTextsLongerThanItsBuffer) {
  const std::string plain(3 << 20, 'x');
  EXPECT_EQ(printed(plain), plain);
  const std::string quotes(1 << 20, '"');
  EXPECT_EQ(printed(quotes).size(), 2u << 20);
}

}  // namespace
}  // namespace perseid
