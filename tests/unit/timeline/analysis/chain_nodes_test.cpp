// tests/unit/timeline/analysis/chain_nodes_test.cpp: chains share their past and forget what no
// chain needs.
#include "timeline/analysis/chain_nodes.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

using Ref = ChainNodes::Ref;

class ChainNodesTest : public testing::Test {
 protected:
  int64_t sum(Ref node, ChainLabel label) const {
    return nodes_.sums(node)[static_cast<size_t>(label)];
  }
  ChainNodes::Activity work(TaskId task, NameId kind) const {
    return {ChainLabel::kWork, kind, kind, 1, task};
  }

  static constexpr size_t kSegments = 100;
  NameIds names_;
  ChainNodes nodes_{kSegments};
};

TEST_F(ChainNodesTest, AChainKeepsWhatItHasWhereOthersGoOn) {
  Ref first = nodes_.make_root(100);
  nodes_.extend(first, 150, work(1, 1));
  Ref second = ChainNodes::kNone;
  nodes_.assign(second, first);
  nodes_.extend(second, 180, {ChainLabel::kScheduler});
  EXPECT_EQ(nodes_.end_ns(first), 150);
  EXPECT_EQ(nodes_.end_ns(second), 180);
  nodes_.collect(second);
  EXPECT_EQ(sum(second, ChainLabel::kWork), 50);
  EXPECT_EQ(sum(second, ChainLabel::kScheduler), 30);
}

TEST_F(ChainNodesTest, NodesThatNobodyHoldsAreGone) {
  Ref tip = nodes_.make_root(0);
  for (int i = 1; i <= 1000; ++i) {
    const Ref next = nodes_.make_child(tip);
    nodes_.release(tip);
    tip = next;
  }
  EXPECT_EQ(nodes_.live(), 1001u);
  nodes_.drop(tip);
  EXPECT_EQ(nodes_.live(), 0u);
}

TEST_F(ChainNodesTest, CompressionKeepsSumsKindsAndSegments) {
  const NameId gemm = names_.of("gemm"), trsm = names_.of("trsm");
  Ref tip = nodes_.make_root(0);
  for (TaskId i = 1; i <= 40; ++i) {
    const Ref next = nodes_.make_child(tip);
    nodes_.release(tip);
    tip = next;
    const auto at = static_cast<int64_t>(10 * i);
    nodes_.extend(tip, at - 3, {ChainLabel::kData, 0, 0, 1, i});
    nodes_.extend(tip, at, work(i, i % 4 == 0 ? trsm : gemm));
    nodes_.count_task(tip, i % 4 == 0 ? trsm : gemm);
    if (i % 7 == 0) nodes_.compress();
  }
  nodes_.compress();
  EXPECT_EQ(nodes_.live(), 1u);
  nodes_.collect(tip);
  EXPECT_EQ(sum(tip, ChainLabel::kWork), 120);
  EXPECT_EQ(sum(tip, ChainLabel::kData), 280);
  const std::vector<KindTime> kinds = nodes_.kinds(tip, names_);
  ASSERT_EQ(kinds.size(), 2u);
  EXPECT_EQ(kinds[0].kind, "gemm");
  EXPECT_EQ(kinds[0].ns, 90);
  EXPECT_EQ(kinds[0].tasks, 30u);
  EXPECT_EQ(kinds[1].tasks, 10u);
  const std::vector<ChainSegment> segments = nodes_.latest(tip, names_);
  ASSERT_EQ(segments.size(), 80u);
  for (size_t i = 1; i < segments.size(); ++i) {
    EXPECT_EQ(segments[i].begin_ns, segments[i - 1].end_ns);
  }
  EXPECT_EQ(segments.back().task, 40u);
}

TEST_F(ChainNodesTest, AnotherLabelOfTheParentsWorkIsTheChildsOwn) {
  Ref busy = nodes_.make_root(0);
  nodes_.extend(busy, 100, work(1, 1));
  Ref waited = nodes_.make_child(busy);
  nodes_.relabel(waited, 30, ChainLabel::kBusy);
  nodes_.extend(waited, 150, work(2, 1));
  Ref other = nodes_.make_child(busy);
  nodes_.extend(other, 120, work(3, 1));
  nodes_.drop(busy);
  nodes_.compress();
  nodes_.drop(other);
  nodes_.compress();
  EXPECT_EQ(nodes_.live(), 1u);
  nodes_.collect(waited);
  EXPECT_EQ(sum(waited, ChainLabel::kBusy), 70);
  EXPECT_EQ(sum(waited, ChainLabel::kWork), 30 + 50);
  const std::vector<ChainSegment> segments = nodes_.latest(waited, names_);
  ASSERT_EQ(segments.size(), 3u);
  EXPECT_EQ(segments[0].end_ns, 30);
  EXPECT_EQ(segments[1].label, ChainLabel::kBusy);
  EXPECT_EQ(segments[1].end_ns, 100);
  EXPECT_EQ(segments[2].label, ChainLabel::kWork);
}

TEST_F(ChainNodesTest, OfManySegmentsTheNewestRemain) {
  Ref tip = nodes_.make_root(0);
  for (TaskId i = 1; i <= 10 * kSegments; ++i) {
    nodes_.extend(tip, static_cast<int64_t>(i), work(i, 1));
    nodes_.compress_if_many();
  }
  const std::vector<ChainSegment> segments = nodes_.latest(tip, names_);
  ASSERT_EQ(segments.size(), kSegments);
  EXPECT_EQ(segments.back().end_ns, static_cast<int64_t>(10 * kSegments));
  EXPECT_EQ(segments.front().begin_ns, static_cast<int64_t>(9 * kSegments));
}

}  // namespace
}  // namespace perseid
