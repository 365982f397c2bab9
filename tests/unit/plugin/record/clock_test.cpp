// tests/unit/plugin/record/clock_test.cpp: ticks only rise, and anchors tie them to the other
// clocks.
#include "plugin/record/clock.h"

#include <gtest/gtest.h>

#include "capture/checksum.h"

namespace perseid {
namespace {

class ClockTest : public testing::TestWithParam<ClockChoice> {
 protected:
  void SetUp() override { is_had_ = choose_clock(GetParam()); }
  bool is_had_ = false;
};

TEST_P(ClockTest, NeverRunsBackwards) {
  uint64_t last = read_ticks();
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t now = read_ticks();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST_P(ClockTest, AnAnchorIsOneTimeOnAllClocks) {
  const uint64_t ticks_before = read_ticks();
  const int64_t mono_before = read_clock_ns(CLOCK_MONOTONIC);
  const int64_t real_before = read_clock_ns(CLOCK_REALTIME);
  const ClockAnchor anchor = take_anchor();
  EXPECT_GE(anchor.ticks, ticks_before);
  EXPECT_LE(anchor.ticks, read_ticks());
  EXPECT_GE(anchor.mono_ns, mono_before);
  EXPECT_LE(anchor.mono_ns, read_clock_ns(CLOCK_MONOTONIC));
  // The real-time clock may be set meanwhile, but hardly by a minute.
  EXPECT_NEAR(static_cast<double>(anchor.real_ns), static_cast<double>(real_before), 60e9);
  EXPECT_EQ(anchor.checksum, checksum(&anchor, offsetof(ClockAnchor, checksum)));
}

/// What is chosen is what ticks, or is refused: the counter alone can be.
TEST_P(ClockTest, OnlyTheTimeStampCounterCanBeRefused) {
  switch (GetParam()) {
    case ClockChoice::kTsc:
      EXPECT_EQ(is_had_, g_ticks_are_tsc);
      break;
    case ClockChoice::kMonotonic:
      EXPECT_TRUE(is_had_);
      EXPECT_FALSE(g_ticks_are_tsc);
      break;
    case ClockChoice::kAuto:
      EXPECT_TRUE(is_had_);
      // The counter is taken where it can be had at all, or left to the kernel's judgement.
      if (g_ticks_are_tsc) {
        EXPECT_TRUE(choose_clock(ClockChoice::kTsc));
      }
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(AllChoices, ClockTest,
                         testing::Values(ClockChoice::kAuto, ClockChoice::kTsc,
                                         ClockChoice::kMonotonic));

TEST(Clock, MonotonicTicksAreNanoseconds) {
  ASSERT_TRUE(choose_clock(ClockChoice::kMonotonic));
  EXPECT_FALSE(g_ticks_are_tsc);
  const int64_t before = read_clock_ns(CLOCK_MONOTONIC);
  const auto ticks = static_cast<int64_t>(read_ticks());
  EXPECT_GE(ticks, before);
  EXPECT_LE(ticks, read_clock_ns(CLOCK_MONOTONIC));
  const ClockAnchor anchor = take_anchor();
  EXPECT_EQ(static_cast<int64_t>(anchor.ticks), anchor.mono_ns);
  EXPECT_EQ(anchor.spread, 0u);
}

}  // namespace
}  // namespace perseid
