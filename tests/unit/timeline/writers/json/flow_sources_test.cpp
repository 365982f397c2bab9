// tests/unit/timeline/writers/json/flow_sources_test.cpp: one start and one end for every id.
#include "timeline/writers/json/flow_sources.h"

#include <gtest/gtest.h>

#include <set>

#include "timeline/model/message_ids.h"

namespace perseid {
namespace {

FlowSource source(uint64_t id, bool is_innermost = true) { return {id, 10, 3, 0, is_innermost, 0}; }

TEST(FlowSources, TheFirstEndHasTheIdOfTheStart) {
  FlowSources sources;
  EXPECT_TRUE(sources.add(source(7)).empty());
  const FlowSources::End end = sources.end(7);
  EXPECT_EQ(end.id, 7u);
  EXPECT_EQ(end.start_again, nullptr);
}

TEST(FlowSources, FurtherEndsGetAStartOfTheirOwn) {
  FlowSources sources;
  sources.add(source(7));
  std::set<uint64_t> ids = {sources.end(7).id};
  for (int i = 0; i < 5; ++i) {
    const FlowSources::End end = sources.end(7);
    ASSERT_NE(end.start_again, nullptr);
    EXPECT_EQ(end.start_again->track, 3u);
    EXPECT_EQ(end.start_again->begin_ns, 10);
    ids.insert(end.id);
  }
  EXPECT_EQ(ids.size(), 6u);
}

TEST(FlowSources, EndsBeforeTheStartWaitForIt) {
  FlowSources sources;
  EXPECT_EQ(sources.end(7).id, 7u);
  const FlowSources::End second = sources.end(7);
  const FlowSources::End third = sources.end(7);
  EXPECT_EQ(second.start_again, nullptr);
  EXPECT_EQ(sources.add(source(7, false)), (std::vector<uint64_t>{second.id, third.id}));
  EXPECT_NE(second.id, third.id);
}

TEST(FlowSources, NoTwoForksHaveOneIdWhereverTheyAreMade) {
  std::set<uint64_t> ids;
  for (uint64_t id = 1; id <= 3; ++id) {
    FlowSources sources;
    for (int i = 0; i < 3; ++i) ids.insert(sources.end(id).id);
    sources.add(source(id));
    for (int i = 0; i < 3; ++i) ids.insert(sources.end(id).id);
  }
  EXPECT_EQ(ids.size(), 18u);
}

TEST(FlowSources, AStartAfterWaitingEndsIsPrintedAgainForTheNext) {
  FlowSources sources;
  sources.end(7);
  EXPECT_TRUE(sources.add(source(7)).empty());
  EXPECT_NE(sources.end(7).start_again, nullptr);
}

TEST(FlowSources, WhereSomethingElseBeginsTooTheStartIsShared) {
  FlowSources sources;
  sources.add(source(7, false));
  for (int i = 0; i < 3; ++i) {
    const FlowSources::End end = sources.end(7);
    EXPECT_EQ(end.id, 7u);
    EXPECT_EQ(end.start_again, nullptr);
  }
}

TEST(FlowSources, WhereAPointCameInBetweenTheStartIsShared) {
  FlowSources sources;
  sources.add(source(7));
  sources.end(7);
  sources.add_point(4, 10);
  EXPECT_NE(sources.end(7).start_again, nullptr);
  sources.add_point(3, 10);
  EXPECT_EQ(sources.end(7).id, 7u);
}

TEST(FlowSources, RemembersTheLatestAndSharesTheRest) {
  FlowSources sources;
  for (uint64_t id = 1; id <= FlowSources::kMax + 1; ++id) sources.add(source(id));
  sources.end(2);
  EXPECT_NE(sources.end(2).start_again, nullptr);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sources.end(1).id, 1u);  // its start is in the file
}

TEST(FlowSources, ALateSourceWithASmallIdDoesNotHideALaterOne) {
  FlowSources sources;
  const uint64_t newer = 5 + FlowSources::kMax;
  sources.add(source(newer));
  sources.add(source(5));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sources.end(5).id, 5u);
  sources.end(newer);
  EXPECT_NE(sources.end(newer).start_again, nullptr);
}

TEST(FlowSources, IdsThatOtherProcessesMadeKeepOneStart) {
  FlowSources sources;
  const uint64_t shared = kSharedFlow | 12345;
  EXPECT_EQ(sources.end(shared).id, shared);
  EXPECT_EQ(sources.end(shared).id, shared);
  EXPECT_TRUE(sources.add(source(shared)).empty());
  EXPECT_EQ(sources.end(shared).id, shared);
}

}  // namespace
}  // namespace perseid
