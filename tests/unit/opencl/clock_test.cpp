// tests/unit/opencl/clock_test.cpp: how far a device's clock is from ours.
#include <gtest/gtest.h>

#include "opencl/decode/device_clock.h"

namespace perseid::opencl {
namespace {

constexpr int64_t kOffset = 1'000'000;  // ours minus the device's

TEST(DeviceClock, ManyCommandsLeaveLessThanTheShortestCall) {
  DeviceClock clock;
  for (int64_t i = 0; i < 100; ++i) {
    const int64_t queued = 10'000 * i;
    const int64_t before = 100 + 37 * i % 900, after = 80 + 53 * i % 1100;
    clock.add_bounds(queued + kOffset - before, queued + kOffset + after,
                     static_cast<uint64_t>(queued));
  }
  EXPECT_LE(clock.error_ns(), 100);
  EXPECT_LE(std::abs(clock.to_ns(5'000'000) - (5'000'000 + kOffset)), clock.error_ns());
}

TEST(DeviceClock, AClockThatDriftsIsFollowed) {
  DeviceClock clock;
  int64_t offset = kOffset;
  for (int64_t i = 0; i < 1000; ++i) {
    offset += 100;
    const int64_t queued = 1'000'000 * i;
    clock.add_bounds(queued + offset - 1000, queued + offset + 1000, static_cast<uint64_t>(queued));
    EXPECT_LE(std::abs(clock.to_ns(static_cast<uint64_t>(queued)) - queued - offset), 2000);
  }
}

}  // namespace
}  // namespace perseid::opencl
