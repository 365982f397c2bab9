// starpu_hooks/record/codelet_wrap.h: makes a codelet's functions pass through us.
#pragma once

#include "starpu_hooks/events.h"
#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// At load, before any codelet is seen.
void prepare_codelet_wrap() noexcept;

/// Puts our thunks into the codelet of `task`, wherever a function is not one yet, and records
/// which codelet this is. Called for every task: programs reuse the memory of codelets. A codelet
/// in read-only memory (StarPU allows `const`) keeps its functions.
void wrap_codelet(Task* task) noexcept;

/// True once such a codelet was seen: then executions also come from the policy's hooks.
bool has_read_only_codelets() noexcept;

/// What a worker of this kind calls for `implementation`, or null if that is one of our thunks.
KernelFunction unwrapped_function(const Codelet* codelet, Architecture architecture,
                                  unsigned implementation) noexcept;

/// Forgets which codelets and functions are in the capture: another capture has begun.
void forget_codelets() noexcept;

}  // namespace perseid::starpu
