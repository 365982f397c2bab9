// plugin/topology_writer.cpp: see topology_writer.h. hwloc is found at run time, never linked.
#include "plugin/topology_writer.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <hwloc.h>
#include <unistd.h>

#include "capture/format.h"
#include "plugin/descriptor.h"
#include "plugin/fixed_text.h"

namespace perseid {

namespace {

/// The few functions of hwloc 2 that are needed; the inline ones of its header use them, too.
struct Hwloc {
  decltype(&hwloc_get_api_version) get_api_version;
  decltype(&hwloc_topology_init) topology_init;
  decltype(&hwloc_topology_set_components) topology_set_components;
  decltype(&hwloc_topology_load) topology_load;
  decltype(&hwloc_topology_destroy) topology_destroy;
  decltype(&hwloc_get_type_depth) get_type_depth;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth;
};

template <class Function>
bool find(void* library, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool open_hwloc(Hwloc& hwloc) noexcept {
  void* library = dlopen("libhwloc.so.15", RTLD_NOLOAD | RTLD_NOW);
  if (!library) library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
  return library && find(library, "hwloc_get_api_version", hwloc.get_api_version) &&
         find(library, "hwloc_topology_init", hwloc.topology_init) &&
         find(library, "hwloc_topology_set_components", hwloc.topology_set_components) &&
         find(library, "hwloc_topology_load", hwloc.topology_load) &&
         find(library, "hwloc_topology_destroy", hwloc.topology_destroy) &&
         find(library, "hwloc_get_type_depth", hwloc.get_type_depth) &&
         find(library, "hwloc_get_nbobjs_by_depth", hwloc.get_nbobjs_by_depth) &&
         find(library, "hwloc_get_obj_by_depth", hwloc.get_obj_by_depth);
}

uint64_t index_above(hwloc_obj_t unit, hwloc_obj_type_t type) noexcept {
  for (hwloc_obj_t object = unit; object; object = object->parent)
    if (object->type == type) return object->logical_index;
  return 0;
}

/// NUMA nodes hang beside the tree of cores: the nearest one above the unit.
uint64_t numa_of(hwloc_obj_t unit) noexcept {
  for (hwloc_obj_t object = unit; object; object = object->parent)
    for (hwloc_obj_t memory = object->memory_first_child; memory; memory = memory->next_sibling)
      if (memory->type == HWLOC_OBJ_NUMANODE) return memory->logical_index;
  return 0;
}

void write_units(const Hwloc& hwloc, hwloc_topology_t topology, int fd) noexcept {
  FixedText<128> head;
  const unsigned version = hwloc.get_api_version();
  head << "perseid-topology 1 hwloc " << uint64_t{version >> 16} << '.'
       << uint64_t{(version >> 8) & 255} << '\n';
  write_fully(fd, head.c_str(), head.size());
  const int depth = hwloc.get_type_depth(topology, HWLOC_OBJ_PU);
  const unsigned count = hwloc.get_nbobjs_by_depth(topology, depth);
  for (unsigned i = 0; i < count; ++i) {
    const hwloc_obj_t unit = hwloc.get_obj_by_depth(topology, depth, i);
    FixedText<128> line;
    line << "pu " << uint64_t{unit->os_index} << " core " << index_above(unit, HWLOC_OBJ_CORE)
         << " numa " << numa_of(unit) << " package " << index_above(unit, HWLOC_OBJ_PACKAGE)
         << '\n';
    write_fully(fd, line.c_str(), line.size());
  }
}

}  // namespace

void write_topology(const char* capture) noexcept {
  Hwloc hwloc;
  hwloc_topology_t topology;
  if (!open_hwloc(hwloc) || hwloc.get_api_version() >> 16 != HWLOC_API_VERSION >> 16 ||
      hwloc.topology_init(&topology) != 0)
    return;
  // Plugins for devices may start a driver inside the host: CPUs are all that is wanted.
  for (const char* component : {"cuda", "nvml", "opencl", "gl", "rsmi", "levelzero"})
    hwloc.topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  if (hwloc.topology_load(topology) == 0) {
    PathText path;
    path << capture << '/' << kTopologyFile;
    const int fd = open_quietly(path.c_str(), O_WRONLY | O_CREAT | O_EXCL);
    if (fd >= 0) {
      write_units(hwloc, topology, fd);
      close(fd);
    }
  }
  hwloc.topology_destroy(topology);
}

}  // namespace perseid
