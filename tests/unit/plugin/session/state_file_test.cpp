// tests/unit/plugin/session/state_file_test.cpp: counters and anchors that are on disk at any
// moment.
#include "plugin/session/state_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "plugin/record/clock.h"
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
  template <class T>
  T value_at(size_t offset) const {
    T value;
    std::memcpy(&value, bytes().data() + offset, sizeof value);
    return value;
  }
  std::vector<ClockAnchor> anchors() const {
    std::vector<ClockAnchor> result(value_at<uint32_t>(offsetof(StateHeader, anchors)));
    const std::string all = bytes();
    std::memcpy(result.data(), all.data() + kStateAnchorsAt, result.size() * sizeof(ClockAnchor));
    return result;
  }

  HeldDirectory directory_;
  std::string path_ = directory_.file("state");
  StateFile state_;
};

TEST_F(StateFileTest, CountersAreInTheFileAsSoonAsTheyChange) {
  state_.add(&StateHeader::spooled_bytes, 3);
  state_.add(&StateHeader::spooled_bytes, 4);
  state_.set(&StateHeader::last_errno, ENOSPC);
  state_.set_sync(1, {1, -2, 3, 4, 5});
  ASSERT_EQ(bytes().size(), kStateBytes);
  EXPECT_EQ(value_at<uint64_t>(offsetof(StateHeader, spooled_bytes)), 7u);
  EXPECT_EQ(value_at<int32_t>(offsetof(StateHeader, last_errno)), ENOSPC);
  EXPECT_EQ(value_at<ClockSync>(offsetof(StateHeader, syncs) + sizeof(ClockSync)).offset_ns, -2);
  EXPECT_EQ(value_at<uint32_t>(offsetof(StateHeader, pid)), 4711u);
  EXPECT_EQ(bytes().substr(0, 8), "PRSDSTAT");
}

TEST_F(StateFileTest, FrequentCountsAreInTheFileAtPowersOfTwoAndEveryTurn) {
  const auto lost = [this] { return value_at<uint64_t>(offsetof(StateHeader, lost_without_ring)); };
  state_.count(&StateHeader::lost_without_ring);
  EXPECT_EQ(lost(), 1u) << "a loss is never taken for none";
  for (int i = 1; i < 1000; ++i) state_.count(&StateHeader::lost_without_ring);
  EXPECT_EQ(lost(), 512u);
  state_.mirror_counts();
  EXPECT_EQ(lost(), 1000u);
  EXPECT_EQ(value_at<uint64_t>(offsetof(StateHeader, nested)), 0u);
  state_.count(&StateHeader::nested);
  state_.mirror_counts();
  EXPECT_EQ(value_at<uint64_t>(offsetof(StateHeader, nested)), 1u);
}

TEST_F(StateFileTest, ATruncatedFileLeavesTheCountersInMemory) {
  std::filesystem::resize_file(path_, 0);
  state_.add(&StateHeader::streams, 2);
  state_.anchor(true);
  EXPECT_EQ(state_.counters().streams.load(), 2u);
  EXPECT_EQ(state_.counters().anchors.load(), 1u);
}

TEST_F(StateFileTest, AnchorsComeAtIntervalsUnlessForced) {
  state_.anchor(true);
  state_.anchor(false);
  EXPECT_EQ(anchors().size(), 1u);
  state_.anchor(true);
  EXPECT_EQ(anchors().size(), 2u);
}

TEST_F(StateFileTest, AnyNumberOfAnchorsFitsAndTheEndsAreKept) {
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

TEST_F(StateFileTest, AnExistingFileIsNeverTakenOver) {
  StateFile second;
  EXPECT_FALSE(second.open(directory_.own(), 8, 1));
  EXPECT_EQ(errno, EEXIST);
}

}  // namespace
}  // namespace perseid
