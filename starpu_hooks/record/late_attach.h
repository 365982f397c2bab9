// starpu_hooks/record/late_attach.h: hooks StarPU when our symbols do not precede its own.
#pragma once

namespace perseid::starpu {

/// If a StarPU is loaded whose functions are found before ours (the library was linked after it,
/// or loaded by dlopen as a STARPU_PROF_TOOL), makes all loaded files call ours instead. Otherwise
/// does nothing: LD_PRELOAD has done it, or there is no StarPU yet.
void attach_late() noexcept;

/// StarPU was initialized before our hooks were in place. The first call records its state.
void attach_to_running_runtime() noexcept;

/// True while our hook of starpu_initialize waits for the original.
bool is_initializing() noexcept;

}  // namespace perseid::starpu
