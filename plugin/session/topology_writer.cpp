// plugin/session/topology_writer.cpp: one line per processing unit, read from /sys.
//
// Read from /sys, not through hwloc: loading a library on this thread while the host forks would
// leave the child with a dynamic linker that believes a load is under way, and end the child at
// its first dlopen, and hwloc's plugins would bring the libraries of devices and displays along.
// Numbers are logical, as hwloc counts them; a unit test holds both against each other.
#include "plugin/session/topology_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <tuple>

#include "capture/format.h"
#include "plugin/session/descriptor.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

constexpr uint32_t kMaxCpus = 2048;

struct Unit {
  uint32_t cpu;
  uint32_t core_id;
  uint32_t package_id;
  uint32_t node;  // logical already
  // Siblings are counted in the order of their lowest CPUs.
  uint32_t package_first;
  uint32_t node_first;
  uint32_t core_first;
};

/// Calls `visit` with each number of a list such as "0-3,8".
template <class Visit>
void for_each_in_list(const char* path, Visit visit) noexcept {
  char text[4096];
  const long length = read_small_file(path, text, sizeof text);
  const char* at = text;
  const char* end = text + std::max(length, 0l);
  while (at < end) {
    uint32_t first = 0;
    const auto begin = std::from_chars(at, end, first);
    if (begin.ec != std::errc()) return;
    uint32_t last = first;
    at = begin.ptr;
    if (at < end && *at == '-') at = std::from_chars(at + 1, end, last).ptr;
    for (uint32_t number = first; number <= last && number < kMaxCpus; ++number) visit(number);
    if (at < end) ++at;
  }
}

uint32_t read_number(uint32_t cpu, const char* file) noexcept {
  FixedText<128> path;
  path << "/sys/devices/system/cpu/cpu" << uint64_t{cpu} << "/topology/" << file;
  char text[32];
  const long length = read_small_file(path.c_str(), text, sizeof text);
  uint32_t number = 0;
  std::from_chars(text, text + std::max(length, 0l), number);
  return number;
}

uint32_t find_units(Unit (&units)[kMaxCpus]) noexcept {
  uint32_t count = 0;
  for_each_in_list("/sys/devices/system/cpu/online", [&](uint32_t cpu) {
    if (count < kMaxCpus)
      units[count++] = {.cpu = cpu,
                        .core_id = read_number(cpu, "core_id"),
                        .package_id = read_number(cpu, "physical_package_id"),
                        .node = 0,
                        .package_first = cpu,
                        .node_first = cpu,
                        .core_first = cpu};
  });
  uint32_t node_index = 0;
  for_each_in_list("/sys/devices/system/node/online", [&](uint32_t node) {
    FixedText<128> path;
    path << "/sys/devices/system/node/node" << uint64_t{node} << "/cpulist";
    for_each_in_list(path.c_str(), [&](uint32_t cpu) {
      for (Unit& unit : std::span(units, count))
        if (unit.cpu == cpu) unit.node = node_index;
    });
    ++node_index;
  });
  return count;
}

void find_first_siblings(std::span<Unit> units) noexcept {
  for (Unit& unit : units) {
    for (const Unit& other : units) {
      if (other.package_id != unit.package_id) continue;
      unit.package_first = std::min(unit.package_first, other.cpu);
      if (other.node == unit.node) unit.node_first = std::min(unit.node_first, other.cpu);
      if (other.core_id == unit.core_id) unit.core_first = std::min(unit.core_first, other.cpu);
    }
  }
}

}  // namespace

void write_topology(OwnDirectory& capture) noexcept {
  Unit units[kMaxCpus];
  const uint32_t count = find_units(units);
  find_first_siblings(std::span(units, count));
  std::sort(units, units + count, [](const Unit& a, const Unit& b) {
    return std::tie(a.package_first, a.node_first, a.core_first, a.cpu) <
           std::tie(b.package_first, b.node_first, b.core_first, b.cpu);
  });
  FixedText<kMaxCpus * 64> text;
  text << "perseid-topology 1 sysfs\n";
  uint64_t core = 0;
  uint64_t package = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const Unit& unit = units[i];
    if (i > 0 && unit.package_first != units[i - 1].package_first) ++package;
    if (i > 0 && unit.core_first != units[i - 1].core_first) ++core;
    text << "pu " << uint64_t{unit.cpu} << " core " << core << " numa " << uint64_t{unit.node}
         << " package " << package << '\n';
  }
  const int fd = capture.open_file(kTopologyFile, O_WRONLY | O_CREAT | O_EXCL);
  if (fd < 0) return;
  // One write, so that a process killed here leaves no partial line.
  (void)write_fully(fd, text.c_str(), text.size());
  close(fd);
}

}  // namespace perseid
