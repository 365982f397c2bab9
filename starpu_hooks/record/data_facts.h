// starpu_hooks/record/data_facts.h: what may safely be asked about a data handle.
#pragma once

#include <cstdint>

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// Bytes of the data, 0 if unknown: an interface of the program's own may have no function for
/// it.
uint64_t bytes_of(Data* data) noexcept;

/// Where the data is in main memory, 0 if it is not there.
uint64_t main_memory_address(Data* data) noexcept;

}  // namespace perseid::starpu
