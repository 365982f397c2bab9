// tests/unit/timeline/check/json_reader_test.cpp: JSON in pieces, also broken JSON.
#include "timeline/check/json_reader.h"

#include <gtest/gtest.h>

#include "tests/stream/fabricate.h"

namespace perseid {
namespace {

class Echo final : public JsonVisitor {
 public:
  void begin(bool is_array) override { seen += is_array ? "[" : "{"; }
  void end(bool is_array) override { seen += is_array ? "]" : "}"; }
  void key(std::string_view name) override { (seen += name) += ":"; }
  void text(std::string_view value) override { ((seen += "'") += value) += "' "; }
  void number(std::string_view digits) override { (seen += digits) += " "; }
  void word(std::string_view literal) override { (seen += literal) += " "; }
  std::string seen;
};

/// What was seen, or "!" and the problem.
std::string scanned(std::string_view json) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "x.json", json);
  const File file(directory / "x.json");
  Echo echo;
  const Result<bool> whole = read_json(file, echo);
  return whole ? echo.seen : "!" + whole.error();
}

TEST(JsonReader, SeesEverythingInOrder) {
  EXPECT_EQ(scanned(" {\"a\": [1, -2.5e+3, \"x\"], \"b\": {\"c\": true}, \"d\": null} \n"),
            "{a:[1 -2.5e+3 'x' ]b:{c:true }d:null }");
  EXPECT_EQ(scanned("[]"), "[]");
  EXPECT_EQ(scanned("{}"), "{}");
  EXPECT_EQ(scanned("[\"\\u00e9\\n\\\"\\u20ac\"]"), "['é\n\"€' ]");
}

TEST(JsonReader, NamesTheFirstByteThatIsWrong) {
  EXPECT_EQ(scanned(""), "!it ends too early, at byte 0");
  EXPECT_EQ(scanned("[1,"), "!it ends too early, at byte 3");
  EXPECT_EQ(scanned("[\"abc"), "!it ends too early, at byte 5");
  EXPECT_EQ(scanned("[1,]"), "!no value at byte 3");
  EXPECT_EQ(scanned("[01]"), "!no comma or ] at byte 2");
  EXPECT_EQ(scanned("[1.]"), "!a bad number at byte 3");
  EXPECT_EQ(scanned("[NaN]"), "!no value at byte 1");
  EXPECT_EQ(scanned("[nil]"), "!no value at byte 2");
  EXPECT_EQ(scanned("{a:1}"), "!no key at byte 1");
  EXPECT_EQ(scanned("{\"a\" 1}"), "!no colon at byte 5");
  EXPECT_EQ(scanned("[1 2]"), "!no comma or ] at byte 3");
  EXPECT_EQ(scanned("[] []"), "!data after the end of the document at byte 3");
  EXPECT_EQ(scanned(std::string_view("[]\0[]", 5)),
            "!data after the end of the document at byte 2");
  EXPECT_EQ(scanned("[\"\n\"]"), "!a control character or an unknown escape in a text at byte 2");
  EXPECT_EQ(scanned("[\"\\q\"]"), "!a control character or an unknown escape in a text at byte 2");
  EXPECT_EQ(scanned(std::string_view("[\"\0\"]", 5)),
            "!a control character or an unknown escape in a text at byte 2");
  EXPECT_EQ(scanned("[\"\\ud83d\"]"), "!half of a surrogate pair at byte 2");
  EXPECT_EQ(scanned(std::string(100, '[')), "!nesting too deep at byte 64");
}

TEST(JsonReader, KeepsNoTextOfAnyLength) {
  const std::string json = "[\"" + std::string(size_t{70} << 20, 'a') + "\"]";
  EXPECT_TRUE(scanned(json).starts_with("!a text that is too long at byte "));
}

TEST(JsonReader, ReadsFilesLargerThanItsWindow) {
  std::string json = "[";
  std::string expected = "[";
  for (int i = 0; i < 200'000; ++i) {
    json += (i > 0 ? "," : "") + ("\"text " + std::to_string(i) + "\"");
    expected += "'text " + std::to_string(i) + "' ";
  }
  EXPECT_EQ(scanned(json + "]"), expected + "]");
}

}  // namespace
}  // namespace perseid
