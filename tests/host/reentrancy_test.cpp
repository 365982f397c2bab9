// tests/host/reentrancy_test.cpp: a handler that records while its thread is recording.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

void record_under_a_timer(const std::string& settings) {
  Sandbox sandbox;
  const Ending ending =
      sandbox.run({.program = "nested_signals", .args = {"2000"}, .settings = settings});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  unsigned long long numbers = 0;
  int handlers = 0;
  ASSERT_EQ(std::sscanf(ending.out.c_str(), "numbers %llu handlers %d", &numbers, &handlers), 2);
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  ASSERT_EQ(recorded.streams.size(), 1u);
  const RecordedStream& stream = recorded.streams[0];
  EXPECT_EQ(find_gap(stream, numbers), "");
  EXPECT_EQ(stream.numbers.size(), numbers);
  EXPECT_EQ(stream.count(annotations::kind(annotations::kBegin)),
            stream.count(annotations::kind(annotations::kEnd)));
  // Every call of a handler is recorded, or counted as one that came from inside us. An end is
  // refused together with its begin, where the begin found no range open it counts as none.
  const uint64_t refused = 2 * static_cast<uint64_t>(handlers) + numbers + 1 -
                           stream.count(annotations::kind(annotations::kBegin)) -
                           stream.count(annotations::kind(annotations::kInstant));
  EXPECT_GE(recorded.nested, refused);
  EXPECT_LE(recorded.nested, 2 * refused);
  EXPECT_GT(recorded.nested, 0u) << "no signal came at the right moment";
}

TEST(Reentrancy, NothingIsTornAndRefusedCallsAreCounted) { record_under_a_timer(kCaptureOnly); }

TEST(Reentrancy, AlsoWhileTheThreadFlushesItsOwnRing) {
  record_under_a_timer("export=0,quiet=1,ring=64K");
}

}  // namespace
}  // namespace perseid::host
