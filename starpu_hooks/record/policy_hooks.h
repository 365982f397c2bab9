// starpu_hooks/record/policy_hooks.h: listens to the scheduling policy of each context.
//
// Each context has a copy of its policy of its own, which StarPU lets others change. Its
// functions become ours, ours call them.
#pragma once

namespace perseid::starpu {

/// Called whenever a task is submitted to `context`: contexts come and go, and reuse their ids.
void hook_policy(unsigned context) noexcept;

}  // namespace perseid::starpu
