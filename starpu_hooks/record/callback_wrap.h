// starpu_hooks/record/callback_wrap.h: makes a task's callbacks pass through us.
#pragma once

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// At load, before any task is seen.
void prepare_callback_wrap() noexcept;

/// Of all kinds, wherever one is not wrapped yet.
void wrap_callbacks(Task* task) noexcept;

/// StarPU did not take the task: it is the program's again, as it was.
void unwrap_callbacks(Task* task) noexcept;

}  // namespace perseid::starpu
