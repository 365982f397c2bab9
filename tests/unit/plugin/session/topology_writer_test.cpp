// tests/unit/plugin/session/topology_writer_test.cpp: our reading of /sys agrees with hwloc's.
#include "plugin/session/topology_writer.h"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

struct Place {
  uint64_t core, numa, package;
  bool operator==(const Place&) const = default;
};

void PrintTo(const Place& place, std::ostream* out) {
  *out << "core " << place.core << " numa " << place.numa << " package " << place.package;
}

std::map<uint64_t, Place> places_by_hwloc() {
  hwloc_topology_t topology;
  hwloc_topology_init(&topology);
  hwloc_topology_load(topology);
  std::map<uint64_t, Place> places;
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit));) {
    const auto above = [&](hwloc_obj_type_t type) -> uint64_t {
      const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, unit);
      return found ? found->logical_index : 0;
    };
    Place place{above(HWLOC_OBJ_CORE), 0, above(HWLOC_OBJ_PACKAGE)};
    for (hwloc_obj_t node = nullptr;
         (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));)
      if (hwloc_bitmap_isset(node->cpuset, unit->os_index)) place.numa = node->logical_index;
    places[unit->os_index] = place;
  }
  hwloc_topology_destroy(topology);
  return places;
}

TEST(TopologyWriter, NamesCoresNodesAndPackagesAsHwlocDoes) {
  HeldDirectory directory;
  write_topology(directory.own());
  std::ifstream file(directory.file("topology"));
  std::string line;
  ASSERT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "perseid-topology 1 sysfs");
  std::map<uint64_t, Place> places;
  std::string pu, core, numa, package;
  uint64_t cpu = 0;
  for (Place place{};
       file >> pu >> cpu >> core >> place.core >> numa >> place.numa >> package >> place.package;) {
    EXPECT_EQ(pu + core + numa + package, "pucorenumapackage");
    places[cpu] = place;
  }
  EXPECT_FALSE(places.empty());
  EXPECT_EQ(places, places_by_hwloc());
}

}  // namespace
}  // namespace perseid
