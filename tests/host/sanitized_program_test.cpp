// tests/host/sanitized_program_test.cpp: programs that are built with a sanitizer, which the
// library is not. Reports are about the program alone.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

/// The same program as the compilers in PERSEID_WATCHED built it.
std::vector<std::string> watched_programs() {
  std::vector<std::string> names;
  std::istringstream list(PERSEID_WATCHED);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

TEST(SanitizedProgram, AThreadSanitizerFindsNoRaceOfOurs) {
  for (const std::string& program : watched_programs()) {
    for (const char* on_full : {"flush", "drop", "overwrite"}) {
      Sandbox sandbox;
      // Rings so small that threads flush them beside the drainer.
      const Ending ending = sandbox.run(
          {.program = program, .settings = std::string("out=o.json,ring=64K,on_full=") + on_full});
      EXPECT_TRUE(ending.is_success()) << program << ' ' << on_full << ending.describe();
      EXPECT_EQ(ending.err.find("ThreadSanitizer"), std::string::npos) << ending.err;
      EXPECT_EQ(ending.out, "done\n");
      EXPECT_EQ(sandbox.files(), std::vector<std::string>{"o.json"});
    }
  }
}

TEST(SanitizedProgram, AThreadSanitizerStillFindsTheProgramsOwn) {
  for (const std::string& program : watched_programs()) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = program, .args = {"race"}});
    EXPECT_EQ(ending.exit_code, 66) << program << ending.describe();
    EXPECT_NE(ending.err.find("data race"), std::string::npos);
    EXPECT_EQ(ending.err.find("libperseid"), std::string::npos) << ending.err;
  }
}

}  // namespace
}  // namespace perseid::host
