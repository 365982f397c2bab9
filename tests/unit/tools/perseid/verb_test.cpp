// tests/unit/tools/perseid/verb_test.cpp: how the words of a call become options and operands.
#include "tools/perseid/verb.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

constexpr OptionInfo kOptions[] = {
    {'o', "out", "FILE", "where"},
    {'k', "keep", nullptr, "whether"},
    {'q', "quiet", nullptr, "how"},
};
constexpr Verb kPlain = {"plain", "FILE...", "s", "", kOptions, false, nullptr};
constexpr Verb kLauncher = {"launch", "PROGRAM", "s", "", kOptions, true, nullptr};

Result<Arguments> parse(const Verb& verb, std::vector<const char*> words) {
  return parse_arguments(verb, words);
}

TEST(Verb, AllFormsOfAnOptionAreTheSame) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"-o", "x"}, {"-ox"}, {"--out", "x"}, {"--out=x"}, {"-o", "y", "-o", "x"}}) {
    const auto arguments = parse(kPlain, words);
    ASSERT_TRUE(arguments) << arguments.error();
    EXPECT_EQ(arguments->value("out"), "x");
    EXPECT_FALSE(arguments->has("keep"));
  }
}

TEST(Verb, OptionsAndOperandsMixUnlessACommandBegins) {
  const auto plain = parse(kPlain, {"a", "-k", "b", "--", "-c"});
  ASSERT_TRUE(plain);
  EXPECT_TRUE(plain->has("keep"));
  EXPECT_EQ(plain->operands, (std::vector<std::string>{"a", "b", "-c"}));

  const auto launcher = parse(kLauncher, {"-k", "program", "-o", "--help"});
  ASSERT_TRUE(launcher);
  EXPECT_TRUE(launcher->has("keep"));
  EXPECT_FALSE(launcher->has("out"));
  EXPECT_FALSE(launcher->wants_help);
  EXPECT_EQ(launcher->operands, (std::vector<std::string>{"program", "-o", "--help"}));
}

TEST(Verb, AnEmptyValueAndASingleDashAreValues) {
  const auto arguments = parse(kPlain, {"--out=", "-"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->has("out"));
  EXPECT_EQ(arguments->value("out"), "");
  EXPECT_EQ(arguments->operands, std::vector<std::string>{"-"});
}

TEST(Verb, ShortOptionsMayBeJoined) {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {"-qk", "-o", "x", "a"}, {"-qko", "x", "a"}, {"-kqox", "a"}, {"-k", "-qox", "a"}}) {
    const auto arguments = parse(kLauncher, words);
    ASSERT_TRUE(arguments) << arguments.error();
    EXPECT_TRUE(arguments->has("quiet"));
    EXPECT_TRUE(arguments->has("keep"));
    EXPECT_EQ(arguments->value("out"), "x");
    EXPECT_EQ(arguments->operands, std::vector<std::string>{"a"});
  }
  // Behind a letter that takes a value, letters are that value.
  const auto value = parse(kPlain, {"-qokh"});
  ASSERT_TRUE(value) << value.error();
  EXPECT_EQ(value->value("out"), "kh");
  EXPECT_FALSE(value->has("keep"));
  EXPECT_FALSE(value->wants_help);

  const auto help = parse(kPlain, {"-qhx"});
  ASSERT_TRUE(help);
  EXPECT_TRUE(help->wants_help);
}

TEST(Verb, MistakesAreNamed) {
  EXPECT_EQ(parse(kPlain, {"-qx"}).error(), "unknown option \"-x\"");
  EXPECT_EQ(parse(kPlain, {"-k=yes"}).error(), "unknown option \"-=\"");
  EXPECT_EQ(parse(kPlain, {"-qo"}).error(), "-o needs a value: FILE");

  EXPECT_EQ(parse(kPlain, {"--otu=3"}).error(),
            "unknown option \"--otu\"; did you mean \"--out\"?");
  EXPECT_EQ(parse(kPlain, {"-x"}).error(), "unknown option \"-x\"");
  EXPECT_EQ(parse(kPlain, {"--out"}).error(), "--out needs a value: FILE");
  EXPECT_EQ(parse(kPlain, {"--keep=yes"}).error(), "--keep takes no value");
}

TEST(Verb, HelpWinsOverWhatFollows) {
  const auto arguments = parse(kPlain, {"-h", "--nonsense"});
  ASSERT_TRUE(arguments);
  EXPECT_TRUE(arguments->wants_help);
}

}  // namespace
}  // namespace perseid
