// plugin/session/topology_writer.h: which core, NUMA node and package each processing unit belongs
// to.
#pragma once

#include "plugin/session/own_directory.h"

namespace perseid {

/// Asks the kernel and writes CAPTURE/topology. Drainer only: it reads many small files and needs
/// a large stack.
void write_topology(OwnDirectory& capture) noexcept;

}  // namespace perseid
