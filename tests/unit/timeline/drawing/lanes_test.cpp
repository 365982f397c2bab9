// tests/unit/timeline/drawing/lanes_test.cpp: slices that overlap go to sub-lanes.
#include "timeline/drawing/lanes.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/stream/recording_sink.h"

namespace perseid {
namespace {

using Lines = std::vector<std::string>;

struct LaneUnderTest {
  test::RecordingSink sink;
  Tracks tracks{sink, 1};
  Lane lane{tracks, sink, add_track()};

  TrackId add_track() {
    Track track;
    track.name = "lane";
    return tracks.add(track);
  }
};

TEST(Lane, NestedSlicesStayOnTheLane) {
  LaneUnderTest t;
  const auto outer = t.lane.open(10, "outer", "c");
  const auto inner = t.lane.open(20, "inner", "c");
  t.lane.close(inner, 30);
  t.lane.close(outer, 40);
  EXPECT_EQ(t.sink.lines, (Lines{"lane: 20..30 inner", "lane: 10..40 outer"}));
}

TEST(Lane, ASliceThatOutlivesTheOneAroundItMovesToTheLowestFreeSubLane) {
  LaneUnderTest t;
  const auto a = t.lane.open(10, "a", "c");
  const auto b = t.lane.open(20, "b", "c");
  const auto c = t.lane.open(30, "c", "c");
  t.lane.close(a, 40);
  t.lane.close(c, 50);
  t.lane.close(b, 60);
  const auto d = t.lane.open(61, "d", "c");
  const auto e = t.lane.open(62, "e", "c");
  t.lane.close(d, 70);
  t.lane.close(e, 80);
  EXPECT_EQ(t.sink.lines, (Lines{"lane: 10..40 a", "lane (2): 30..50 c", "lane (2): 20..60 b",
                                 "lane: 61..70 d", "lane (2): 62..80 e"}));
}

TEST(Lane, SlicesThatBeginBesideEachOtherTakeTheLowestFreeRow) {
  LaneUnderTest t;
  const auto a = t.lane.open_beside(10, "a", "c");
  const auto b = t.lane.open_beside(11, "b", "c");
  const auto c = t.lane.open_beside(12, "c", "c");
  t.lane.close(b, 20);
  const auto d = t.lane.open_beside(20, "d", "c");
  t.lane.close(a, 30);
  t.lane.close(c, 31);
  t.lane.close(d, 32);
  EXPECT_EQ(t.sink.lines, (Lines{"lane (2): 11..20 b", "lane: 10..30 a", "lane (3): 12..31 c",
                                 "lane (2): 20..32 d"}));
}

TEST(Lane, WhatIsKnownOnlyAfterwardsIsCutToTheRoomThereIs) {
  LaneUnderTest t;
  const auto a = t.lane.open(10, "a", "c");
  t.lane.add_finished(5, 20, "flush", "c", {});
  t.lane.add_finished(15, 30, "flush", "c", {});
  t.lane.close(a, 25);
  EXPECT_EQ(t.sink.lines, (Lines{"lane: 10..20 flush", "lane: 20..30 flush", "lane: 10..30 a"}));
}

TEST(Lane, NestingDeeperThanPerfettoGoesContinuesOnASubLane) {
  LaneUnderTest t;
  std::vector<Lane::Handle> open;
  for (int i = 0; i < 1100; ++i) open.push_back(t.lane.open(i, "x", "c"));
  for (int i = 0; i < 1100; ++i, open.pop_back()) t.lane.close(open.back(), 2000 + i);
  EXPECT_EQ(t.sink.tracks.size(), 3u);
  EXPECT_EQ(t.sink.find_overlap(), "");
}

TEST(Lane, UsesItsMemoryAgain) {
  LaneUnderTest t;
  for (int i = 0; i < 1000; ++i) {
    const auto a = t.lane.open(10 * i, "a", "c");
    const auto b = t.lane.open(10 * i + 1, "b", "c");
    EXPECT_LT(std::max(a, b), 2u);
    t.lane[a].arguments.add({"i", int64_t{i}});
    t.lane.close(b, 10 * i + 2);
    t.lane.close(a, 10 * i + 3);
  }
  EXPECT_EQ(t.sink.lines.back(), "lane: 9990..9993 a {i=999}");
  EXPECT_EQ(t.lane.open_count(), 0u);
}

TEST(Lane, RenamingALaneRenamesItsSubLanes) {
  LaneUnderTest t;
  const auto a = t.lane.open_beside(1, "a", "c");
  const auto b = t.lane.open_beside(2, "b", "c");
  t.lane.close(b, 3);
  t.lane.close(a, 4);
  t.tracks.rename(t.lane.track(), "renamed");
  EXPECT_EQ(t.sink.track_names(), (Lines{"renamed", "renamed (2)"}));
}

/// Whatever happens, in any order and at any time, slices of one row nest.
TEST(Lane, AnySequenceNests) {
  for (uint32_t seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    LaneUnderTest t;
    std::vector<Lane::Handle> open;
    size_t opened = 0;
    int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      now += below(4);
      const int64_t past = now - std::min<int64_t>(now, below(3) == 0 ? below(20) : 0);
      switch (below(7)) {
        case 0:
        case 1:
          open.push_back(t.lane.open(past, "s", "c"));
          ++opened;
          break;
        case 2:
          open.push_back(t.lane.open_beside(now, "p", "c"));
          ++opened;
          break;
        case 3:
          t.lane.add_finished(past, now, "f", "c", {});
          ++opened;
          break;
        case 4:
          t.lane.set_floor(past);
          break;
        default:
          if (!open.empty()) {
            const size_t which =
                below(2) == 0 ? open.size() - 1 : below(static_cast<uint32_t>(open.size()));
            t.lane.close(open[which], past);
            open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
          }
      }
    }
    t.lane.close_all(now, [](Lane::Handle) {});
    ASSERT_EQ(t.sink.find_overlap(), "") << "seed " << seed;
    ASSERT_EQ(t.sink.lines.size(), opened) << "seed " << seed;
  }
}

}  // namespace
}  // namespace perseid
