// tests/unit/timeline/writers/printable_test.cpp: what a terminal gets to see of foreign texts.
#include "timeline/writers/printable.h"

#include <gtest/gtest.h>

#include "timeline/check/report.h"

namespace perseid {
namespace {

TEST(Printable, ReadableTextStaysAsItIs) {
  for (const std::string text : {"", "a b~", "Größe · 大小 🚀", "C:\\path", "O'Neill \"x\""}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, WhatATerminalObeysIsWrittenOut) {
  EXPECT_EQ(printable("\x1b]0;pwned\a\x1b[2J"), "\\x1b]0;pwned\\x07\\x1b[2J");
  EXPECT_EQ(printable("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\u009b31m");
  EXPECT_EQ(printable("txt.\xe2\x80\xae"
                      "exe"),
            "txt.\\u202eexe");
}

TEST(Printable, BytesThatAreNoUtf8AreWrittenOut) {
  EXPECT_EQ(printable("\xff\xc3("), "\\xff\\xc3(");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
}

TEST(Printable, ACheckPrintsNothingRaw) {
  CheckReport report;
  report.title = "capture \x1b[2J";
  report.facts = {{"exe\x1b", "a\nb"}};
  report.kinds = {{"\x1b[1m", 3}};
  report.lanes = {{"main\nlanes", 1, 0, 0}};
  report.damages = 1;
  report.damage_texts = {"ring \x1b: gone"};
  EXPECT_EQ(format(report),
            "capture \\x1b[2J\n"
            "  exe\\x1b  a\\nb\n"
            "events\n"
            "             3  \\x1b[1m\n"
            "lanes\n"
            "             1  main\\nlanes\n"
            "damage\n"
            "  ring \\x1b: gone\n"
            "not whole: 0 lost, 1 damaged\n");
}

}  // namespace
}  // namespace perseid
