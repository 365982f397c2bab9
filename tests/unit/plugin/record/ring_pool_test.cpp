// tests/unit/plugin/record/ring_pool_test.cpp: rings are made ahead, reused, capped and removed.
#include "plugin/record/ring_pool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

class RingPoolTest : public testing::Test {
 protected:
  void open(uint64_t ring_bytes, uint64_t memory_bytes, OnFull on_full = OnFull::kFlush) {
    RingPlan plan{};
    ASSERT_TRUE(rings_.make(directory_.file("rings").c_str()));
    ASSERT_TRUE(capture_.make(directory_.file("capture").c_str()));
    plan.directory = &rings_;
    plan.capture = &capture_;
    plan.session = 7;
    plan.ring_bytes = ring_bytes;
    plan.memory_bytes = memory_bytes;
    plan.on_full = on_full;
    ASSERT_TRUE(state_.open(directory_.own(), 7, 1));
    plan.counters = &state_;
    ASSERT_TRUE(pool_.open(plan));
  }
  void TearDown() override {
    for (uint32_t i = 0; i < pool_.count(); ++i) pool_.ring(i).unmap();
    pool_.close();
    state_.close();
    rings_.close();
    capture_.close();
  }
  /// As a thread does, with the drainer at its side.
  Ring* take() {
    pool_.want();
    pool_.top_up();
    Ring* ring = pool_.take();
    pool_.want_no_more();
    if (ring) ring->state.store(RingState::kOwned);
    return ring;
  }
  size_t files(const char* where) const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.file(where)), {}));
  }

  HeldDirectory directory_;
  OwnDirectory rings_;
  OwnDirectory capture_;
  StateFile state_;
  RingPool pool_;
};

TEST_F(RingPoolTest, ASpareIsTakenAndNoneIsMadeByTheTaker) {
  open(64 * 1024, 16 * 1024 * 1024);
  EXPECT_EQ(pool_.take(), nullptr);
  pool_.top_up();
  pool_.top_up();
  EXPECT_EQ(pool_.count(), 2u) << "two spares are enough";
  EXPECT_NE(pool_.take(), nullptr);
  EXPECT_NE(pool_.take(), nullptr);
  EXPECT_EQ(pool_.take(), nullptr);
  EXPECT_FALSE(pool_.is_exhausted()) << "it pays to wait for the drainer";
}

TEST_F(RingPoolTest, AsManyAreMadeAsThreadsWant) {
  open(64 * 1024, 64 * 1024 * 1024);
  for (int i = 0; i < 10; ++i) pool_.want();
  EXPECT_TRUE(pool_.has_unmet_want());
  pool_.top_up();
  EXPECT_FALSE(pool_.has_unmet_want());
  EXPECT_EQ(pool_.count(), 12u);
}

TEST_F(RingPoolTest, ARingThatWasPutBackIsTakenAgain) {
  open(64 * 1024, 16 * 1024 * 1024);
  Ring* first = take();
  ASSERT_NE(first, nullptr);
  pool_.put_back(*first);
  EXPECT_EQ(pool_.take(), first);
}

TEST_F(RingPoolTest, ARingAsksOnceUntilItWasLookedAt) {
  open(64 * 1024, 64 * 1024 * 1024);
  std::vector<Ring*> rings;
  for (int i = 0; i < 70; ++i) rings.push_back(take());
  EXPECT_FALSE(pool_.is_any_asking());
  pool_.ask(*rings[3]);
  pool_.ask(*rings[3]);
  pool_.ask(*rings[69]);
  EXPECT_TRUE(pool_.is_asking(*rings[3]));
  EXPECT_FALSE(pool_.is_asking(*rings[4]));
  std::vector<Ring*> seen;
  pool_.for_each_asking([&](Ring& ring) noexcept { seen.push_back(&ring); });
  EXPECT_EQ(seen, (std::vector<Ring*>{rings[3], rings[69]}));
  EXPECT_FALSE(pool_.is_any_asking());
}

TEST_F(RingPoolTest, MemoryIsCappedAndRingsShrinkTowardsTheCap) {
  open(256 * 1024, 1024 * 1024);
  std::vector<uint64_t> sizes;
  while (Ring* ring = take()) sizes.push_back(ring->capacity());
  EXPECT_LE(pool_.bytes(), 1024u * 1024);
  EXPECT_GT(sizes.size(), 4u);
  EXPECT_EQ(sizes.front(), 256u * 1024);
  EXPECT_EQ(sizes.back(), kMinRingBytes);
}

TEST_F(RingPoolTest, SparesLeaveTheLastQuarterToThreadsThatAsk) {
  open(256 * 1024, 512 * 1024);
  pool_.top_up();
  pool_.top_up();
  EXPECT_EQ(pool_.count(), 1u);
}

TEST_F(RingPoolTest, RingsGoToTheCaptureWhenTheirOwnPlaceFails) {
  open(64 * 1024, 16 * 1024 * 1024);
  std::filesystem::remove_all(directory_.file("rings"));
  Ring* ring = take();
  ASSERT_NE(ring, nullptr);
  EXPECT_TRUE(ring->is_in_capture);
  EXPECT_EQ(files("capture"), pool_.count());
}

TEST_F(RingPoolTest, AFailureIsKnownToWhoAsksNext) {
  open(64 * 1024, 16 * 1024 * 1024);
  std::filesystem::remove_all(directory_.file("rings"));
  std::filesystem::remove_all(directory_.file("capture"));
  EXPECT_EQ(take(), nullptr);
  EXPECT_TRUE(pool_.is_exhausted());
  EXPECT_EQ(pool_.count(), 0u);
}

TEST_F(RingPoolTest, ARingThatComesFreeEndsTheExhaustion) {
  open(64 * 1024, 128 * 1024);
  Ring* first = take();
  EXPECT_NE(take(), nullptr);
  EXPECT_EQ(take(), nullptr);
  EXPECT_TRUE(pool_.is_exhausted());
  pool_.put_back(*first);
  EXPECT_FALSE(pool_.is_exhausted());
  EXPECT_EQ(pool_.take(), first);
}

TEST_F(RingPoolTest, AFlightRecorderGivesUpTheRingThatWasLeftFirst) {
  open(64 * 1024, 192 * 1024, OnFull::kOverwrite);
  Ring* rings[] = {take(), take(), take()};
  uint32_t stream = 0;
  for (Ring* ring : rings) {
    ASSERT_NE(ring, nullptr);
    ring->assign({++stream, 0, 0, -1});
    ASSERT_TRUE(ring->extend(16));
    ring->put(0x0101, 0);
  }
  EXPECT_EQ(take(), nullptr);
  EXPECT_TRUE(pool_.is_exhausted());
  pool_.retire(*rings[2]);
  pool_.retire(*rings[0]);
  EXPECT_FALSE(pool_.is_exhausted());
  pool_.top_up();
  EXPECT_EQ(pool_.take(), nullptr) << "nobody needs them yet";
  EXPECT_EQ(state_.counters().overwritten_bytes.load(), 0u);
  EXPECT_EQ(take(), rings[2]);
  EXPECT_EQ(state_.counters().overwritten_bytes.load(), 16u);
  EXPECT_EQ(state_.counters().overwritten_ticks.load(), rings[2]->retired_ticks);
  EXPECT_EQ(rings[2]->info().stream, 0u) << "killed now, the file holds nothing of its last owner";
  EXPECT_EQ(rings[2]->head(), rings[2]->tail());
  EXPECT_EQ(rings[0]->head() - rings[0]->tail(), 16u) << "what is still kept";
  EXPECT_EQ(take(), rings[0]);
  EXPECT_EQ(state_.counters().overwritten_bytes.load(), 32u);
  EXPECT_EQ(take(), nullptr);
  EXPECT_TRUE(pool_.is_exhausted());
}

TEST_F(RingPoolTest, FilesWithUnreadRecordsStayOnRequest) {
  open(64 * 1024, 16 * 1024 * 1024);
  Ring* unread = take();
  Ring* empty = take();
  ASSERT_TRUE(unread && empty);
  ASSERT_TRUE(unread->extend(16));
  unread->put(0x0101, 0);
  EXPECT_FALSE(pool_.remove_files(true));
  EXPECT_EQ(files("rings"), 1u);
  EXPECT_TRUE(pool_.remove_files(false));
  EXPECT_FALSE(std::filesystem::exists(directory_.file("rings")));
}

TEST_F(RingPoolTest, ARingThatSomebodyIsTakingStays) {
  open(64 * 1024, 16 * 1024 * 1024);
  pool_.top_up();
  Ring* late = pool_.take();
  ASSERT_NE(late, nullptr);
  EXPECT_FALSE(pool_.remove_files(false));
  pool_.put_back(*late);
  EXPECT_TRUE(pool_.remove_files(false));
  EXPECT_FALSE(std::filesystem::exists(directory_.file("rings")));
}

TEST_F(RingPoolTest, ManyThreadsTakeAndLeaveWithoutSharingARing) {
  open(64 * 1024, 2 * 1024 * 1024);
  for (int i = 0; i < 6; ++i) pool_.want();
  pool_.top_up();
  std::vector<std::thread> threads;
  std::atomic<int> shared{0};
  std::atomic<int> taken{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        Ring* ring = pool_.take();
        if (!ring) continue;
        ++taken;
        ring->assign({static_cast<uint32_t>(t + 1), 0, 0, -1});
        ring->state.store(RingState::kOwned, std::memory_order_release);
        std::this_thread::yield();
        if (ring->info().stream != static_cast<uint32_t>(t + 1)) ++shared;
        pool_.put_back(*ring);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.load(), 0);
  EXPECT_GT(taken.load(), 100);
  EXPECT_LE(pool_.bytes(), 2u * 1024 * 1024);
}

}  // namespace
}  // namespace perseid
