// tests/unit/plugin/state_file_test.cpp: counters and anchors that are on disk at any moment.
#include "plugin/state_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plugin/clock.h"
#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

class StateFileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(state_.open(directory_.own(), 7, 4711)); }
  void TearDown() override { state_.close(); }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::vector<ClockAnchor> anchors() {
    std::vector<ClockAnchor> result(state_.counters().anchors.load());
    const std::string all = bytes();
    std::memcpy(result.data(), all.data() + kStateAnchorsAt, result.size() * sizeof(ClockAnchor));
    return result;
  }

  HeldDirectory directory_;
  std::string path_ = directory_.file("state");
  StateFile state_;
};

TEST_F(StateFileTest, counters_are_in_the_file_as_soon_as_they_change) {
  state_.counters().lost_without_ring.fetch_add(3);
  const std::string all = bytes();
  ASSERT_EQ(all.size(), kStateBytes);
  uint64_t lost;
  std::memcpy(&lost, all.data() + offsetof(StateHeader, lost_without_ring), sizeof lost);
  EXPECT_EQ(lost, 3u);
  uint32_t pid;
  std::memcpy(&pid, all.data() + offsetof(StateHeader, pid), sizeof pid);
  EXPECT_EQ(pid, 4711u);
  EXPECT_EQ(all.substr(0, 8), "PRSDSTAT");
}

TEST_F(StateFileTest, anchors_come_at_intervals_unless_forced) {
  state_.anchor(true);
  state_.anchor(false);
  EXPECT_EQ(anchors().size(), 1u);
  state_.anchor(true);
  EXPECT_EQ(anchors().size(), 2u);
}

TEST_F(StateFileTest, any_number_of_anchors_fits_and_the_ends_are_kept) {
  std::vector<ClockAnchor> taken;
  for (int i = 0; i < 5000; ++i) {
    taken.push_back(take_anchor());
    state_.add(taken.back());
  }
  const std::vector<ClockAnchor> kept = anchors();
  EXPECT_LE(kept.size(), kMaxAnchors);
  EXPECT_GE(kept.size(), kMaxAnchors / 2);
  EXPECT_EQ(kept.front().ticks, taken.front().ticks);
  EXPECT_EQ(kept.back().ticks, taken.back().ticks);
  for (size_t i = 1; i < kept.size(); ++i) ASSERT_LE(kept[i - 1].ticks, kept[i].ticks);
}

TEST_F(StateFileTest, an_existing_file_is_never_taken_over) {
  StateFile second;
  EXPECT_FALSE(second.open(directory_.own(), 8, 1));
  EXPECT_EQ(errno, EEXIST);
}

}  // namespace
}  // namespace perseid
