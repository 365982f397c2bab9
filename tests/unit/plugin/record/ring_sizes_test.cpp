// tests/unit/plugin/record/ring_sizes_test.cpp: rings shrink in time, so that thousands of threads
// fit.
#include "plugin/record/ring_sizes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace perseid {
namespace {

constexpr uint64_t kK = 1024;
constexpr uint64_t kM = 1024 * kK;

/// The rings that `memory` holds, in the order in which they are made.
std::vector<uint64_t> plan(uint64_t ring, uint64_t memory) {
  std::vector<uint64_t> sizes;
  for (uint64_t used = 0;;) {
    const uint64_t size = next_ring_bytes(ring, memory, used);
    if (used + size > memory) return sizes;
    used += size;
    sizes.push_back(size);
  }
}

TEST(RingSizes, TheDefaultsHold4096ThreadsAndMore) {
  const std::vector<uint64_t> sizes = plan(kM, 512 * kM);
  EXPECT_GE(sizes.size(), 4096u);
  EXPECT_EQ(sizes[0], kM);
  EXPECT_EQ(sizes[127], kM);
  EXPECT_EQ(sizes[128], kM / 2);
  EXPECT_GE(sizes[767], kMinRingBytes);
}

TEST(RingSizes, NeverGrowAndNeverFallBelowTheSmallest) {
  for (const uint64_t ring : {64 * kK, 256 * kK, kM, 64 * kM})
    for (const uint64_t memory : {64 * kK, 300 * kK, kM, 16 * kM, 512 * kM}) {
      const std::vector<uint64_t> sizes = plan(ring, memory);
      ASSERT_FALSE(sizes.empty()) << ring << ' ' << memory;
      for (size_t i = 1; i < sizes.size(); ++i) ASSERT_LE(sizes[i], sizes[i - 1]);
      EXPECT_GE(sizes.back(), kMinRingBytes);
      EXPECT_LE(sizes.front(), ring);
    }
}

TEST(RingSizes, HalfOfTheMemoryIsKeptForTheSmallest) {
  const std::vector<uint64_t> sizes = plan(kM, 512 * kM);
  EXPECT_GE(static_cast<uint64_t>(std::count(sizes.begin(), sizes.end(), kMinRingBytes)),
            256 * kM / kMinRingBytes);
}

TEST(RingSizes, OneThreadGetsTheSizeThatWasAskedForIfTwoFit) {
  EXPECT_EQ(plan(256 * kM, 512 * kM).front(), 256 * kM);
  EXPECT_EQ(plan(64 * kK, 64 * kK).front(), 64 * kK);
}

}  // namespace
}  // namespace perseid
