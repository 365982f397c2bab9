// tests/run/starpu/attach_test.cpp: ways to attach to StarPU, and what is reported if there is
// none.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/run/starpu/traced_run.h"

namespace perseid::starpu {
namespace {

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::ranges::count(text, '\n'));
}

void expect_all_traced(const TracedRun& traced) {
  EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
  EXPECT_EQ(traced.trace.find_broken_life(), "") << traced.describe();
  EXPECT_EQ(traced.trace.count(kExecBegin), traced.executed) << traced.describe();
  EXPECT_GT(traced.executed, 0u);
}

TEST(StarpuAttach, PreloadingWorksWhenEverythingIsBoundAtTheStart) {
  expect_all_traced(run({.program = "synchronous", .environment = {{"LD_BIND_NOW", "1"}}}));
}

TEST(StarpuAttach, AProgramMayTurnTracingOnBeforeItStartsStarpu) {
  for (const char* at_load : {"", "off"}) {
    const TracedRun traced =
        run({.program = "sets_switch", .args = {host::kCaptureOnly}, .settings = at_load});
    expect_all_traced(traced);
    EXPECT_EQ(traced.captures, 1u);
    EXPECT_EQ(traced.ending.err, "");
  }
  const TracedRun untraced = run({.program = "sets_switch", .settings = ""});
  EXPECT_TRUE(untraced.ending.is_success()) << untraced.describe();
  EXPECT_EQ(untraced.captures, 0u);
}

TEST(StarpuAttach, AStarpuThatWasLoadedForAPluginAloneIsTraced) {
  expect_all_traced(run({.program = "dlopened", .args = {PERSEID_STARPU_LIBRARY}}));
}

TEST(StarpuAttach, LinkingWithTheLibraryIsEnough) {
  expect_all_traced(run({.program = "linked_before", .is_preloaded = false}));
}

TEST(StarpuAttach, LinkingAfterStarpuIsEnough) {
  expect_all_traced(run({.program = "linked_behind", .is_preloaded = false}));
}

TEST(StarpuAttach, AProgramThatDoesNotUseStarpuLeavesNothing) {
  const TracedRun traced = run({"never"});
  EXPECT_TRUE(traced.ending.is_success());
  EXPECT_EQ(traced.captures, 0u);
  EXPECT_EQ(traced.ending.err, "");
}

TEST(StarpuAttach, WithoutTheSwitchNothingIsRecorded) {
  const TracedRun traced = run({.program = "callbacks", .settings = ""});
  EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
  EXPECT_EQ(traced.captures, 0u);
  EXPECT_EQ(traced.ending.err, "");
}

TEST(StarpuAttach, AnUnknownLayoutCostsDetailsAndNotTheRun) {
  const TracedRun traced =
      run({.program = "annotated_data", .preload_after = built("liblying_starpu.so")});
  EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
  EXPECT_NE(traced.ending.err.find("layout is unknown"), std::string::npos) << traced.ending.err;
  EXPECT_EQ(lines_of(traced.ending.err), 1u) << traced.ending.err;
  EXPECT_GE(traced.trace.count(kSubmit), traced.submitted);
  EXPECT_EQ(traced.trace.count(kSubmit), traced.trace.count(kSubmitEnd));
  EXPECT_EQ(traced.trace.count(kExecBegin), 0u);
  for (const TraceRecord& submit : traced.trace.all(kSubmit))
    EXPECT_TRUE(low_half(submit.words.at(3)) & kFieldsUnknown);
}

#ifdef PERSEID_STATIC_STARPU
TEST(StarpuAttach, AStaticStarpuIsReportedInOneLine) {
  for (const char* program : {"static_starpu", "static_starpu_stripped"}) {
    const TracedRun traced = run({program});
    EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
    EXPECT_EQ(traced.captures, 0u);
    EXPECT_NE(traced.ending.err.find("linked with a static StarPU"), std::string::npos);
    EXPECT_EQ(lines_of(traced.ending.err), 1u) << traced.ending.err;
  }
}
#endif

TEST(StarpuAttach, AStarpuThatCallsItselfDirectlyIsReportedInOneLine) {
  const TracedRun traced = run({"symbolic"});
  EXPECT_TRUE(traced.ending.is_success()) << traced.describe();
  const std::string& printed = traced.ending.err;
  EXPECT_NE(printed.find("-Bsymbolic"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("-Bsymbolic", printed.find("-Bsymbolic") + 1), std::string::npos)
      << printed;
}

}  // namespace
}  // namespace perseid::starpu
