// starpu_hooks/record/data_address.h: keeps the capture informed about where data is in main
// memory.
#pragma once

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// Copies between memory nodes show addresses, not handles. Records the address of `data` where
/// copies are possible and the address has changed, or may have.
void note_address(Data* data) noexcept;

}  // namespace perseid::starpu
