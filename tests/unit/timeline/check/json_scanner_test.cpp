// tests/unit/timeline/check/json_scanner_test.cpp
#include "timeline/check/json_scanner.h"

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
  JsonScanner scanner(file, echo);
  return scanner.run() ? echo.seen : "!" + scanner.problem();
}

TEST(JsonScanner, SeesEverythingInOrder) {
  EXPECT_EQ(scanned(" {\"a\": [1, -2.5e+3, \"x\"], \"b\": {\"c\": true}, \"d\": null} \n"),
            "{a:[1 -2.5e+3 'x' ]b:{c:true }d:null }");
  EXPECT_EQ(scanned("[]"), "[]");
  EXPECT_EQ(scanned("{}"), "{}");
  EXPECT_EQ(scanned("[\"\\u00e9\\n\\\"\\u20ac\"]"), "['é\n\"€' ]");
}

TEST(JsonScanner, NamesTheFirstByteThatIsWrong) {
  EXPECT_EQ(scanned(""), "!it ends too early, at byte 0");
  EXPECT_EQ(scanned("[1,"), "!it ends too early, at byte 3");
  EXPECT_EQ(scanned("[\"abc"), "!it ends too early, at byte 5");
  EXPECT_EQ(scanned("[1,]"), "!no value at byte 3");
  EXPECT_EQ(scanned("[01]"), "!a bad number at byte 3");
  EXPECT_EQ(scanned("[1.]"), "!a bad number at byte 3");
  EXPECT_EQ(scanned("[NaN]"), "!no value at byte 1");
  EXPECT_EQ(scanned("[nil]"), "!an unknown word at byte 4");
  EXPECT_EQ(scanned("{a:1}"), "!no key at byte 1");
  EXPECT_EQ(scanned("{\"a\" 1}"), "!no colon at byte 5");
  EXPECT_EQ(scanned("[1 2]"), "!no comma or ] at byte 3");
  EXPECT_EQ(scanned("[] []"), "!something behind the end at byte 3");
  EXPECT_EQ(scanned("[\"\n\"]"), "!a control character in a text at byte 2");
  EXPECT_EQ(scanned("[\"\\q\"]"), "!an unknown escape at byte 3");
  EXPECT_EQ(scanned("[\"\\ud83d\\ude80\"]"),
            "!an escaped surrogate, which Perfetto refuses at byte 8");
  EXPECT_EQ(scanned(std::string(100, '[')), "!nesting too deep at byte 65");
}

TEST(JsonScanner, ReadsFilesLargerThanItsWindow) {
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
