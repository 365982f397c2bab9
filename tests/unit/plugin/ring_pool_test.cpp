// tests/unit/plugin/ring_pool_test.cpp: rings are made ahead, reused, capped and removed.
#include "plugin/ring_pool.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

bool refuse_to_drain(Ring&) noexcept { return false; }
bool drain(Ring& ring) noexcept {
  ring.release(ring.head());
  return true;
}

class RingPoolTest : public testing::Test {
 protected:
  void open(uint64_t ring_bytes, uint64_t memory_bytes) {
    RingPlan plan{};
    const std::string rings = directory_.file("rings");
    const std::string capture = directory_.file("capture");
    mkdir(rings.c_str(), 0700);
    mkdir(capture.c_str(), 0700);
    rings.copy(plan.directory, sizeof plan.directory - 1);
    capture.copy(plan.capture, sizeof plan.capture - 1);
    plan.session = 7;
    plan.ring_bytes = ring_bytes;
    plan.memory_bytes = memory_bytes;
    plan.on_full = OnFull::kFlush;
    ASSERT_TRUE(pool_.open(plan));
  }
  void TearDown() override {
    for (uint32_t i = 0; i < pool_.count(); ++i) pool_.ring(i).unmap();
    pool_.close();
  }
  Ring* take(bool (*drain_ring)(Ring&) noexcept = refuse_to_drain) {
    Ring* ring = pool_.take(drain_ring);
    if (ring) ring->state.store(RingState::kOwned);
    return ring;
  }
  size_t files(const char* where) const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.file(where)), {}));
  }

  TemporaryDirectory directory_;
  RingPool pool_;
};

TEST_F(RingPoolTest, a_spare_is_taken_before_a_new_one_is_made) {
  open(64 * 1024, 16 * 1024 * 1024);
  pool_.top_up();
  pool_.top_up();
  pool_.top_up();
  EXPECT_EQ(pool_.count(), 2u) << "two spares are enough";
  EXPECT_NE(take(), nullptr);
  EXPECT_NE(take(), nullptr);
  EXPECT_EQ(pool_.count(), 2u);
  EXPECT_NE(take(), nullptr);
  EXPECT_EQ(pool_.count(), 3u);
}

TEST_F(RingPoolTest, a_ring_that_a_thread_left_is_drained_and_taken_again) {
  open(64 * 1024, 16 * 1024 * 1024);
  Ring* first = take();
  ASSERT_NE(first, nullptr);
  first->state.store(RingState::kRetired);
  EXPECT_EQ(take(drain), first);
  EXPECT_EQ(pool_.count(), 1u);
}

TEST_F(RingPoolTest, a_ring_that_cannot_be_drained_stays_as_it_is) {
  open(64 * 1024, 16 * 1024 * 1024);
  Ring* first = take();
  first->state.store(RingState::kRetired);
  Ring* second = take(refuse_to_drain);
  EXPECT_NE(second, nullptr);
  EXPECT_NE(second, first);
  EXPECT_EQ(first->state.load(), RingState::kRetired);
}

TEST_F(RingPoolTest, memory_is_capped_and_rings_shrink_towards_the_cap) {
  open(256 * 1024, 1024 * 1024);
  std::vector<uint64_t> sizes;
  while (Ring* ring = take()) sizes.push_back(ring->capacity());
  EXPECT_LE(pool_.bytes(), 1024u * 1024);
  EXPECT_GT(sizes.size(), 4u);
  EXPECT_EQ(sizes.front(), 256u * 1024);
  EXPECT_EQ(sizes.back(), kMinRingBytes);
}

TEST_F(RingPoolTest, spares_leave_the_last_quarter_to_threads_that_ask) {
  open(256 * 1024, 512 * 1024);
  pool_.top_up();
  pool_.top_up();
  EXPECT_EQ(pool_.count(), 1u);
}

TEST_F(RingPoolTest, rings_go_to_the_capture_when_their_own_place_fails) {
  open(64 * 1024, 16 * 1024 * 1024);
  std::filesystem::remove_all(directory_.file("rings"));
  Ring* ring = take();
  ASSERT_NE(ring, nullptr);
  EXPECT_TRUE(ring->is_in_capture);
  EXPECT_EQ(files("capture"), 1u);
}

TEST_F(RingPoolTest, a_failure_is_not_repeated_at_every_event) {
  open(64 * 1024, 16 * 1024 * 1024);
  std::filesystem::remove_all(directory_.file("rings"));
  std::filesystem::remove_all(directory_.file("capture"));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(take(), nullptr);
  EXPECT_LE(pool_.count(), 3u);
}

TEST_F(RingPoolTest, files_with_unread_records_stay_if_told_so) {
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

TEST_F(RingPoolTest, a_ring_taken_too_late_is_removed_by_its_taker) {
  open(64 * 1024, 16 * 1024 * 1024);
  Ring* late = pool_.take(refuse_to_drain);
  ASSERT_NE(late, nullptr);
  EXPECT_FALSE(pool_.remove_files(false)) << "somebody is still at it";
  pool_.discard(*late);
  EXPECT_FALSE(std::filesystem::exists(directory_.file("rings")));
}

TEST_F(RingPoolTest, many_threads_take_and_leave_without_sharing_a_ring) {
  open(64 * 1024, 2 * 1024 * 1024);
  std::vector<std::thread> threads;
  std::atomic<int> shared{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        Ring* ring = pool_.take(drain);
        if (!ring) continue;
        ring->assign({static_cast<uint32_t>(t + 1), 0, 0, -1});
        ring->state.store(RingState::kOwned, std::memory_order_release);
        std::this_thread::yield();
        if (ring->info().stream != static_cast<uint32_t>(t + 1)) ++shared;
        ring->state.store(RingState::kRetired, std::memory_order_release);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.load(), 0);
  EXPECT_LE(pool_.bytes(), 2u * 1024 * 1024);
}

}  // namespace
}  // namespace perseid
