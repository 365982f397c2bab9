// plugin/topology_writer.h: which core, NUMA node and package each processing unit belongs to.
#pragma once

namespace perseid {

/// Asks hwloc, if the machine has it, and writes CAPTURE/topology. Without hwloc there is no
/// such file, and lanes carry CPU numbers alone. Drainer only: hwloc reads many small files.
void write_topology(const char* capture) noexcept;

}  // namespace perseid
