// starpu_hooks/record/late_attach.h: ways into StarPU when the loader does not put us in front of
// it.
#pragma once

namespace perseid::starpu {

/// If a StarPU is loaded whose functions are found before ours (the library was linked behind it,
/// or loaded by dlopen as a STARPU_PROF_TOOL), makes all loaded files call ours instead. Else
/// nothing: LD_PRELOAD has done it, or there is no StarPU yet.
void take_over_calls() noexcept;

/// StarPU was initialized without our seeing it. The first call makes up for it.
void join_running_runtime() noexcept;

/// True while our hook of starpu_initialize waits for the original.
bool is_initializing() noexcept;

}  // namespace perseid::starpu
