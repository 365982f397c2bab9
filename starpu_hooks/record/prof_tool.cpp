// starpu_hooks/record/prof_tool.cpp: the entry point of STARPU_PROF_TOOL, for StarPU 1.4 and later.
//
// StarPU loads the library named there and calls the one function below. StarPU's own events are
// few and partly wrong (workers, transfers), so the entry point only attaches our hooks, which then
// record as after LD_PRELOAD.
#include <cstdint>

#include "plugin/session/session.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/late_attach.h"

namespace perseid::starpu {

namespace {

/// The numbers have stayed the same since StarPU 1.4.0.
enum ProfToolEvent : int { kInitialized = 4 };
enum ProfToolCommand : int { kRegister = 0 };

using ProfToolCallback = void (*)(void* info, void* event_info, void* api_info);
using ProfToolRegister = void (*)(int event, ProfToolCallback callback, int command);

void on_initialized(void*, void*, void*) noexcept {
  // If starpu_initialize was called through our hook, that takes care of it.
  if (!is_initializing()) attach_to_running_runtime();
}

}  // namespace
}  // namespace perseid::starpu

PERSEID_HOOK void starpu_prof_tool_library_register(
    perseid::starpu::ProfToolRegister register_callback, perseid::starpu::ProfToolRegister) {
  using namespace perseid::starpu;
  perseid::look_at_switch_again();
  if (!perseid::g_origin.settings.is_on) return;
  register_callback(kInitialized, on_initialized, kRegister);
}
