// tests/unit/plugin/session/connect_test.cpp: a program with perseid.h is found through its ELF
// note.
#include "plugin/session/connect.h"

#include <gtest/gtest.h>

#include "include/perseid.h"
#include "plugin/session/session.h"

// Notes whose slot is on no address, in read-only memory, or between two words: as a tool that
// rewrote the program may leave them.
__asm__(
    ".pushsection .note.perseid, \"a\", %note\n"
    ".balign 4\n"
    ".4byte 8, 8, 1\n"
    ".asciz \"Perseid\"\n"
    ".8byte 0x7000000000000000\n"
    ".4byte 8, 8, 1\n"
    ".asciz \"Perseid\"\n"
    ".8byte 0\n"
    ".4byte 8, 8, 1\n"
    ".asciz \"Perseid\"\n"
    "2: .8byte perseid_api_slot - 2b + 1\n"
    ".popsection\n");

namespace perseid {
namespace {

TEST(Connect, FillsThePointerOfThisVeryProgram) {
  perseid_api_slot = nullptr;
  EXPECT_EQ(perseid_is_here(), 0);
  connect_programs();
  EXPECT_EQ(perseid_api_now(), annotation_api());
  EXPECT_EQ(perseid_is_here(), 1);
  perseid_api_slot = nullptr;
}

TEST(Connect, LibrariesLoadedLaterGetTheFunctionsOnlyIfSwitchedOn) {
  g_origin.settings.is_on = false;
  EXPECT_EQ(perseid_connect(), nullptr);
  g_origin.settings.is_on = true;
  EXPECT_EQ(perseid_connect(), annotation_api());
  g_origin.settings.is_on = false;
}

TEST(Connect, TheTableHasItsSizeAndNoHole) {
  const perseid_api* api = annotation_api();
  EXPECT_EQ(api->size, sizeof(perseid_api));
  EXPECT_TRUE(api->begin && api->end && api->instant && api->counter && api->flow_out &&
              api->flow_in && api->name_thread && api->lane && api->lane_begin && api->lane_end &&
              api->phase && api->pause && api->resume);
}

}  // namespace
}  // namespace perseid
