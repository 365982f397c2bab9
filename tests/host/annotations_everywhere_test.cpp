// tests/host/annotations_everywhere_test.cpp: perseid.h in C99, C++17 and C++20, with and without
// PIE, after section garbage collection and link-time optimisation, and in a late shared library.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

std::vector<std::string> speakers() {
  std::istringstream list(PERSEID_SPEAKERS);
  std::vector<std::string> names;
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

TEST(AnnotationsEverywhere, ReachTheLibraryFromEveryKindOfProgram) {
  ASSERT_GE(speakers().size(), 5u);
  for (const std::string& speaker : speakers()) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = speaker});
    ASSERT_TRUE(ending.is_success()) << speaker << ending.describe();
    ASSERT_EQ(sandbox.captures().size(), 1u) << speaker;
    const Recorded recorded = read_capture(sandbox.captures()[0]);
    EXPECT_TRUE(recorded.damages.empty()) << speaker << recorded.describe();
    EXPECT_EQ(recorded.count(annotations::kBegin), recorded.count(annotations::kEnd)) << speaker;
    EXPECT_EQ(recorded.count(annotations::kLaneBegin), 1u) << speaker;
    EXPECT_EQ(recorded.count(annotations::kLaneEnd), 1u) << speaker;
    const std::vector<std::string> c{"c instant", "c range", "c second file"};
    const std::vector<std::string> cpp{"cpp inner", "cpp instant", "cpp range"};
    EXPECT_EQ(recorded.texts(), speaker.starts_with("speaks_cpp") ? cpp : c) << speaker;
  }
}

TEST(AnnotationsEverywhere, AreSilentWithoutTheLibrary) {
  for (const std::string& speaker : speakers()) {
    Sandbox sandbox;
    const Ending ending = sandbox.run({.program = speaker, .is_preloaded = false});
    EXPECT_EQ(ending.exit_code, 1) << speaker << ": nobody should be here";
    EXPECT_EQ(ending.err, "");
    EXPECT_TRUE(sandbox.files().empty());
  }
}

TEST(AnnotationsEverywhere, ReachTheLibraryFromASharedLibraryLoadedLater) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "loads_addon", .args = {program_path("libaddon.so")}});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).texts(),
            (std::vector<std::string>{"addon", "program"}));
}

}  // namespace
}  // namespace perseid::host
