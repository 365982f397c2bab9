// ompt/record/return_address.h: where the program called the runtime, if the runtime does not
// report it.
#pragma once

#include "plugin/record/modules.h"

namespace perseid::ompt {

/// The runtime's own code: an address in it names no construct of the program.
inline constinit CodeRange g_runtime_code{};

/// The program's innermost address on this thread's stack; null if there is none near.
const void* find_program_address() noexcept;

/// LLVM's runtime gives an address of its own for a taskloop (seen with 13 to 19), and none or its
/// own for a construct of its first thread while another one leaves a critical section: what that
/// thread has noted is taken away then (14 to 19). The stack knows the program's.
inline const void* outside_runtime(const void* address) noexcept {
  if (address && !g_runtime_code.contains(reinterpret_cast<uint64_t>(address))) [[likely]]
    return address;
  const void* const found = find_program_address();
  return found ? found : address;
}

}  // namespace perseid::ompt
