// tests/unit/tools/perseid/message_test.cpp: words as a shell and a terminal may have them.
#include "tools/perseid/message.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(ShellWord, ComesBackFromTheShell) {
  EXPECT_EQ(shell_word("a/b-c.json"), "a/b-c.json");
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("Größe"), "'Größe'");
}

TEST(ShellWord, HoldsNothingThatATerminalObeys) {
  EXPECT_EQ(shell_word("a b\x1b[2J\n'"), "$'a b\\x1b\\x5b2J\\x0a\\x27'");
}

}  // namespace
}  // namespace perseid
