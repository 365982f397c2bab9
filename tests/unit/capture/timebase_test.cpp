// tests/unit/capture/timebase_test.cpp: from ticks to nanoseconds.
#include "capture/timebase.h"

#include <gtest/gtest.h>

#include <cmath>

#include "capture/checksum.h"

namespace perseid {
namespace {

ClockAnchor anchor(uint64_t ticks, int64_t ns, uint32_t spread = 10) {
  ClockAnchor made{ticks, ns, 0, spread, 0};
  made.checksum = checksum(&made, offsetof(ClockAnchor, checksum));
  return made;
}

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kBoot = 500 * kSecond;

Timebase from(std::vector<ClockAnchor> anchors, DamageLog* damages = nullptr) {
  AnchorSet set;
  for (const ClockAnchor& a : anchors) set.add(a);
  return Timebase(set.take(), 0, damages);
}

TEST(Timebase, IsExactAtItsAnchorsAndStraightBetweenThem) {
  // The clock runs at 2 GHz, then is slewed by 100 ppm.
  Timebase time = from({anchor(0, kBoot), anchor(2 * kSecond, kBoot + kSecond),
                        anchor(4 * kSecond, kBoot + 2 * kSecond + 100'000)});
  EXPECT_EQ(time.to_ns(0), 0);
  EXPECT_EQ(time.to_ns(kSecond), kSecond / 2);
  EXPECT_EQ(time.to_ns(2 * kSecond), kSecond);
  EXPECT_NEAR(static_cast<double>(time.to_ns(3 * kSecond)), 1.5e9 + 50'000, 1);
  EXPECT_NEAR(static_cast<double>(time.to_ns(4 * kSecond)), 2e9 + 100'000, 1);
}

TEST(Timebase, GoesOnBeyondItsLastAnchorAndNeverBelowZero) {
  Timebase time = from({anchor(1000 * kSecond, kBoot), anchor(1002 * kSecond, kBoot + kSecond)});
  EXPECT_NEAR(static_cast<double>(time.to_ns(1012 * kSecond)), 6e9, 2);
  EXPECT_EQ(time.to_ns(999 * kSecond), 0);
}

TEST(Timebase, NeverGoesBackWhileTicksRise) {
  std::vector<ClockAnchor> anchors;
  for (int i = 0; i < 200; ++i) {
    const int64_t jitter = (i * 7919) % 61 - 30;
    anchors.push_back(
        anchor(static_cast<uint64_t>(i) * 24'454'320, kBoot + i * 10'000'000 + jitter));
  }
  Timebase time = from(anchors);
  int64_t last = 0;
  for (uint64_t ticks = 0; ticks < 220ull * 24'454'320; ticks += 9973) {
    const int64_t now = time.to_ns(ticks);
    ASSERT_GE(now, last) << ticks;
    last = now;
  }
}

TEST(Timebase, LeavesOutAnchorsThatAreDamagedOrOffTheLine) {
  ClockAnchor damaged = anchor(2 * kSecond, kBoot + 999 * kSecond);
  damaged.checksum ^= 1;
  Timebase time =
      from({anchor(0, kBoot), damaged, anchor(3 * kSecond, kBoot + 77 * kSecond),
            anchor(4 * kSecond, kBoot + 2 * kSecond), anchor(6 * kSecond, kBoot + 3 * kSecond),
            anchor(8 * kSecond, kBoot + 4 * kSecond)});
  EXPECT_EQ(time.to_ns(2 * kSecond), kSecond);
  EXPECT_EQ(time.to_ns(6 * kSecond), 3 * kSecond);
}

TEST(Timebase, LeavesOutAnchorsOfAClockThatCannotExist) {
  DamageLog damages;
  Timebase time = from({anchor(1000, kBoot), anchor(1001, int64_t{1} << 60)}, &damages);
  EXPECT_EQ(time.to_ns(2000), 1000);
  EXPECT_EQ(damages.count(), 1u);
}

TEST(Timebase, KeepsAFewOfManyAnchors) {
  AnchorSet set;
  for (uint64_t i = 0; i < 100'000; ++i) {
    set.add(anchor(i * 20'000'000, kBoot + static_cast<int64_t>(i) * 10'000'000));
  }
  const auto kept = set.take();
  EXPECT_LE(kept.size(), AnchorSet::kMaxKept);
  EXPECT_GT(kept.size(), AnchorSet::kMaxKept / 8);
  EXPECT_EQ(kept.front().ticks, 0u);
  EXPECT_EQ(kept.back().ticks, 99'999ull * 20'000'000);
}

TEST(Timebase, ReportsApproximateTimes) {
  DamageLog damages;
  Timebase one = from({anchor(5000, kBoot)}, &damages);
  ASSERT_EQ(damages.count(), 1u);
  EXPECT_EQ(damages.items()[0].text, "clock: only one anchor; times are approximate");
  EXPECT_EQ(one.to_ns(6000), 1000);
}

TEST(Timebase, NeedsNoSecondAnchorForAClockThatCountsNanoseconds) {
  DamageLog damages;
  Timebase time = from({anchor(kBoot + 40, kBoot)}, &damages);
  EXPECT_EQ(damages.count(), 0u);
  EXPECT_EQ(time.to_ns(kBoot + 40 + 1234), 1234);
}

TEST(Timebase, UsesTheRateOfTheManifestWithASingleAnchor) {
  DamageLog damages;
  AnchorSet set;
  set.add(anchor(1000, kBoot));
  Timebase time(set.take(), 2'000'000'000, &damages);
  EXPECT_EQ(damages.count(), 0u);
  EXPECT_EQ(time.to_ns(1000 + 2 * kSecond), kSecond);
}

TEST(Timebase, KnowsWhichReadingsCannotBeOfThisSession) {
  Timebase time = from({anchor(1000 * kSecond, kBoot), anchor(1002 * kSecond, kBoot + kSecond)});
  const auto is_plausible = [&time](uint64_t ticks) {
    return ticks - time.first_plausible() <= time.plausible_span();
  };
  EXPECT_TRUE(is_plausible(1001 * kSecond));
  EXPECT_TRUE(is_plausible(1003 * kSecond));
  EXPECT_FALSE(is_plausible(~uint64_t{0}));
  EXPECT_FALSE(is_plausible(uint64_t{1} << 60));
}

TEST(Timebase, StaysExactOverDays) {
  const int64_t day = 86400 * kSecond;
  const double hz = 2'445'432'123.0;
  const auto ticks = [&](int64_t ns) {
    return static_cast<uint64_t>(std::llround(static_cast<double>(ns) * hz / 1e9));
  };
  Timebase time = from({anchor(0, kBoot), anchor(ticks(10 * day), kBoot + 10 * day)});
  EXPECT_NEAR(static_cast<double>(time.to_ns(ticks(5 * day))), static_cast<double>(5 * day), 4);
}

}  // namespace
}  // namespace perseid
