// starpu_hooks/codelet_wrap.h: makes a codelet's functions pass through us.
#pragma once

#include "starpu_hooks/starpu_api.h"

namespace perseid::starpu {

/// At load, before any codelet is seen.
void prepare_codelet_wrap() noexcept;

/// Puts our thunks into the codelet of `task`, wherever a function is not one yet, and records
/// which codelet this is. Called for every task: programs reuse the memory of codelets.
void wrap_codelet(Task* task) noexcept;

/// Forgets which codelets and functions are in the capture: another capture has begun.
void forget_codelets() noexcept;

}  // namespace perseid::starpu
