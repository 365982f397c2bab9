// tests/unit/timeline/drawing/counter_test.cpp: samples of a value that changes.
#include "timeline/drawing/counter.h"

#include <gtest/gtest.h>

#include "tests/stream/recording_sink.h"

namespace perseid {
namespace {

using Lines = std::vector<std::string>;

class CounterTest : public testing::Test {
 protected:
  test::RecordingSink sink_;
  Tracks tracks_{sink_, 1};
};

TEST_F(CounterTest, ShowsChangesOnlyAndNeverLessThanNothing) {
  Counter counter(tracks_, sink_, "ready", "tasks");
  counter.add(10, 1);
  counter.set(20, 1);
  counter.add(30, -2);
  EXPECT_EQ(sink_.lines, (Lines{"ready: @10 = 1", "ready: @30 = 0"}));
}

TEST_F(CounterTest, ChangesThatFollowTooFastAreShownAsTheLast) {
  Counter counter(tracks_, sink_, "ready", "tasks", {.grain_ns = 100});
  for (const int64_t at : {10, 20, 30, 40}) counter.add(at, 1);
  counter.add(500, 1);
  counter.add(510, -1);
  counter.finish();
  EXPECT_EQ(sink_.lines,
            (Lines{"ready: @10 = 1", "ready: @40 = 4", "ready: @500 = 5", "ready: @510 = 4"}));
}

TEST_F(CounterTest, AChangeThatIsTakenBackAtOnceIsNotShown) {
  Counter counter(tracks_, sink_, "ready", "tasks", {.grain_ns = 100});
  counter.add(10, 1);
  counter.add(20, 1);
  counter.add(30, -1);
  counter.finish();
  EXPECT_EQ(sink_.lines, Lines{"ready: @10 = 1"});
}

TEST_F(CounterTest, HasATrackFromTheBeginningOrFromItsFirstChange) {
  Counter shown(tracks_, sink_, "shown");
  Counter hidden(tracks_, sink_, "hidden", "", {.is_hidden_until_used = true});
  EXPECT_EQ(sink_.track_names(), Lines{"shown"});
  hidden.add(10, 0);
  EXPECT_EQ(sink_.track_names(), Lines{"shown"});
  hidden.add(10, 1);
  EXPECT_EQ(sink_.track_names(), (Lines{"shown", "hidden"}));
}

}  // namespace
}  // namespace perseid
