// tests/host/thread_local_test.cpp: the program's thread-local data, which every thread has on its
// stack, leave our thread room to record and to write the timeline.
#include <gtest/gtest.h>

#include "tests/host/harness.h"

namespace perseid::host {
namespace {

void expect_timeline(const std::string& program, bool is_preloaded) {
  Sandbox sandbox;
  // Several formats at once: what needs most of the stack.
  const Ending ending = sandbox.run({.program = program,
                                     .settings = "out=run,format=json+pftrace.gz",
                                     .is_preloaded = is_preloaded});
  EXPECT_TRUE(ending.is_success()) << program << ending.describe();
  EXPECT_EQ(ending.out, "3 3\n") << program;
  EXPECT_NE(ending.err.find(" 0 lost"), std::string::npos) << program << ending.err;
  EXPECT_EQ(sandbox.files(), (std::vector<std::string>{"run.json", "run.pftrace.gz"})) << program;
  const std::string timeline = read_text(sandbox.path("run.json"));
  EXPECT_NE(timeline.find("\"work\""), std::string::npos) << program;
}

TEST(ThreadLocal, OfAnySizeLeaveTheProgramAndItsTraceAlone) {
  for (const char* kilobytes : {"850", "900", "1000", "1040", "1100", "2000", "64000"}) {
    expect_timeline(std::string("thread_local_") + kilobytes, true);
    expect_timeline(std::string("linked_thread_local_") + kilobytes, false);
  }
}

}  // namespace
}  // namespace perseid::host
