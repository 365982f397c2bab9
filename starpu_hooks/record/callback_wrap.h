// starpu_hooks/record/callback_wrap.h: makes a task's callback pass through us.
#pragma once

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

/// At load, before any task is seen.
void prepare_callback_wrap() noexcept;

void wrap_callback(Task* task) noexcept;

/// StarPU did not take the task: it is the program's again, as it was.
void unwrap_callback(Task* task) noexcept;

}  // namespace perseid::starpu
