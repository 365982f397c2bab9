// tests/unit/timeline/model/topology_test.cpp: cores and NUMA nodes.
#include "timeline/model/topology.h"

#include <gtest/gtest.h>

namespace perseid {
namespace {

TEST(Topology, KnowsThePlaceOfACpu) {
  const Topology topology(
      "perseid-topology 1 hwloc 2.9.0\npu 0 core 0 numa 0 package 0\npu 7 core 3 numa 1 package "
      "1\n");
  EXPECT_EQ(topology.place_of(7), " · core 3 · NUMA 1");
  EXPECT_EQ(topology.place_of(8), "");
  EXPECT_EQ(topology.bad_lines(), 0u);
}

TEST(Topology, PassesOverLinesItDoesNotUnderstand) {
  const Topology topology(
      "something else\npu 1 core x numa 0 package 0\npu 2 core 1 numa 0 package 0");
  EXPECT_EQ(topology.place_of(1), "");
  EXPECT_EQ(topology.place_of(2), " · core 1 · NUMA 0");
  EXPECT_EQ(topology.bad_lines(), 2u);
  EXPECT_EQ(Topology("").bad_lines(), 0u);
}

}  // namespace
}  // namespace perseid
