// tests/host/full_ring_test.cpp: a full ring is flushed, or drops and counts, or keeps the last.
#include <gtest/gtest.h>

#include "tests/host/harness.h"
#include "tests/host/recorded.h"

namespace perseid::host {
namespace {

constexpr uint64_t kCount = kIsSanitized ? 200'000 : 1'500'000;

Recorded record_numbers(const std::string& settings, int threads, uint64_t count) {
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "numbers",
                                     .args = {std::to_string(threads), std::to_string(count)},
                                     .settings = "export=0,quiet=1," + settings});
  EXPECT_TRUE(ending.is_success()) << ending.describe();
  const auto captures = sandbox.captures();
  EXPECT_EQ(captures.size(), 1u);
  if (captures.size() != 1) return {};
  Recorded recorded = read_capture(captures[0]);
  EXPECT_TRUE(recorded.damages.empty()) << recorded.describe();
  return recorded;
}

TEST(FullRing, FlushLosesNothingAndShowsItself) {
  for (const char* rings : {"rings=shm", "rings=capture"}) {
    const Recorded recorded = record_numbers(std::string("ring=64K,") + rings, 2, kCount);
    ASSERT_EQ(recorded.streams.size(), 2u);
    for (const RecordedStream& stream : recorded.streams) {
      EXPECT_EQ(stream.numbers.size(), kCount);
      EXPECT_EQ(find_gap(stream, kCount), "");
      EXPECT_EQ(stream.holes, 0u);
    }
    EXPECT_EQ(recorded.lost(), 0u);
    EXPECT_GT(recorded.count(core::kind(core::kSelfFlush)), 0u);
  }
}

TEST(FullRing, RecordsLeaveInLargePieces) {
  constexpr uint64_t kNumbers = 400'000;
  constexpr uint64_t kRing = 256 * 1024;
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "paced",
                                     .args = {std::to_string(kNumbers)},
                                     .settings = "export=0,quiet=1,ring=256K"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers(), kNumbers);
  // Half a ring at a time, and whatever an end of the ring or of the session, or a pause of the
  // machine, cuts off. A drainer that follows the thread makes thousands.
  const uint64_t halves = kNumbers * 24 / (kRing / 2);
  EXPECT_LE(recorded.chunks, 3 * halves + 20);
}

TEST(FullRing, DropCountsEveryLoss) {
  const Recorded recorded = record_numbers("ring=64K,on_full=drop", 2, kCount);
  EXPECT_EQ(recorded.numbers() + recorded.lost(), 2 * kCount) << recorded.describe();
  EXPECT_GT(recorded.lost(), 0u) << "the drainer kept up with two threads";
  EXPECT_EQ(recorded.count(core::kind(core::kSelfFlush)), 0u);
}

TEST(FullRing, DropCountsLossesThatNoLaterRecordReports) {
  // More threads than the drainer sees before they have all ended, each with a full ring.
  Sandbox sandbox;
  const Ending ending = sandbox.run({.program = "many_threads",
                                     .args = {"40", "8", "20000"},
                                     .settings = "export=0,quiet=1,ring=64K,on_full=drop"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers() + recorded.lost(), 40u * 20000) << recorded.describe();
  EXPECT_GT(recorded.lost(), 0u);
}

TEST(FullRing, OverwriteKeepsTheLastRecordsUpToTheVeryLast) {
  const Recorded recorded = record_numbers("ring=64K,on_full=overwrite", 2, kCount);
  ASSERT_EQ(recorded.streams.size(), 2u);
  for (const RecordedStream& stream : recorded.streams) {
    // 24 bytes each, and at most two of the 64 blocks are free at a time.
    EXPECT_GT(stream.numbers.size(), 65536 / 24 * 60 / 64);
    EXPECT_LE(stream.numbers.size(), 65536u / 24);
    EXPECT_EQ(find_gap(stream, 0), "");
    EXPECT_EQ(stream.numbers.back() & 0xffffffffff, kCount - 1);
  }
}

TEST(FullRing, MemoryForAllRingsIsCappedAndLossesBeyondItAreCounted) {
  Sandbox sandbox;
  constexpr uint64_t kThreads = 100;
  constexpr uint64_t kEvents = 1000;
  const Ending ending = sandbox.run(
      {.program = "many_threads",
       .args = {std::to_string(kThreads), std::to_string(kThreads), std::to_string(kEvents)},
       .settings = "export=0,quiet=1,ring=64K,memory=1M"});
  ASSERT_TRUE(ending.is_success()) << ending.describe();
  ASSERT_EQ(sandbox.captures().size(), 1u);
  const Recorded recorded = read_capture(sandbox.captures()[0]);
  EXPECT_EQ(recorded.numbers() + recorded.lost(), kThreads * kEvents) << recorded.describe();
  EXPECT_LE(recorded.streams.size(), 16u);
  EXPECT_GT(recorded.lost_without_ring, 0u);
}

}  // namespace
}  // namespace perseid::host
