// tests/host/signals_test.cpp: SIGTERM and SIGINT end with a written timeline and then as ever.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

Launch waiting(const char* handling, int signal, const std::string& settings, int threads = 0) {
  return {.program = "waits_for_signal",
          .args = {handling, std::to_string(signal), std::to_string(threads)},
          .settings = settings};
}

TEST(Signals, EndWithATimelineAndThenByThatVerySignal) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Sandbox sandbox;
    Running running = sandbox.start(waiting("default", signal, "1"));
    ASSERT_TRUE(running.has_printed("ready"));
    running.send(signal);
    const Ending ending = running.wait();
    EXPECT_EQ(ending.signal, signal) << ending.describe();
    EXPECT_EQ(sandbox.timelines().size(), 1u);
    EXPECT_TRUE(sandbox.captures().empty());
    EXPECT_TRUE(rings_in_shm(ending.pid).empty());
  }
}

TEST(Signals, AreNotedInTheCapture) {
  Sandbox sandbox;
  Running running = sandbox.start(waiting("default", SIGTERM, kCaptureOnly, 2));
  ASSERT_TRUE(running.has_printed("ready"));
  running.send(SIGTERM);
  const Ending ending = running.wait();
  EXPECT_EQ(ending.signal, SIGTERM) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.end, SessionEnd::kSignal);
  EXPECT_EQ(recorded.end_signal, static_cast<uint32_t>(SIGTERM));
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  for (const RecordedStream& stream : recorded.streams) EXPECT_EQ(find_gap(stream, 0), "");
}

TEST(Signals, ComeThroughToAHandlerOfTheHost) {
  for (const char* handling : {"own", "late"}) {
    Sandbox sandbox;
    Running running = sandbox.start(waiting(handling, SIGTERM, kCaptureOnly));
    ASSERT_TRUE(running.has_printed("ready"));
    running.send(SIGTERM);
    const Ending ending = running.wait();
    EXPECT_EQ(ending.exit_code, 7) << handling << ending.describe();
    ASSERT_EQ(sandbox.captures().size(), 1u);
    const Recorded recorded = read_capture(sandbox.captures()[0]);
    EXPECT_EQ(recorded.end, SessionEnd::kFinished);
    EXPECT_EQ(recorded.texts(), (std::vector<std::string>{"before", "own handler", "work"}));
  }
}

TEST(Signals, ThatTheHostIgnoresStayIgnored) {
  for (const int signal : {SIGTERM, SIGINT}) {
    Sandbox sandbox;
    Running running = sandbox.start(waiting("ignore", signal, kCaptureOnly));
    ASSERT_TRUE(running.has_printed("ready"));
    running.send(signal);
    const Ending ending = running.wait();
    EXPECT_EQ(ending.exit_code, 8) << ending.describe();
  }
}

#ifndef PERSEID_THREAD_SANITIZED
// ThreadSanitizer keeps a signal back until the thread makes a call that it knows.
TEST(Signals, TheSecondInterruptEndsAtOnce) {
  Sandbox sandbox;
  // A FIFO as the log: the message at the end waits for a reader who never comes, as a timeline
  // on a hanging disk would.
  ASSERT_EQ(mkfifo(sandbox.path("log").c_str(), 0600), 0);
  Running running =
      sandbox.start(waiting("default", SIGINT, "export=0,log=" + sandbox.path("log")));
  ASSERT_TRUE(running.has_printed("ready"));
  running.send(SIGINT);
  // The capture says when the first one is being dealt with.
  ASSERT_TRUE(eventually([&] {
    const auto captures = sandbox.captures();
    return captures.size() == 1 && read_capture(captures[0]).end == SessionEnd::kSignal;
  }));
  const double sent = now_seconds();
  running.send(SIGINT);
  const Ending ending = running.wait();
  EXPECT_EQ(ending.signal, SIGINT) << ending.describe();
  EXPECT_LT(now_seconds() - sent, 5.0);
  EXPECT_EQ(read_capture(sandbox.captures()[0]).count(annotations::kBegin), 1u);
}
#endif

TEST(Signals, WhileThreadsFlushTheirRingsLoseNothingThatWasRecorded) {
  Sandbox sandbox;
  Running running = sandbox.start(waiting("default", SIGTERM, "export=0,quiet=1,ring=64K", 3));
  ASSERT_TRUE(running.has_printed("ready"));
  running.send(SIGTERM);
  const Ending ending = running.wait();
  EXPECT_EQ(ending.signal, SIGTERM) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  for (const RecordedStream& stream : recorded.streams) EXPECT_EQ(find_gap(stream, 0), "");
}

}  // namespace
}  // namespace perseid::host
