// ompt/record/tool.cpp: OpenMP's entry point: ompt_start_tool, called by the runtime when it
// starts.
#include <pthread.h>
#include <unistd.h>

#include <cstring>

#include "ompt/record/hooks.h"
#include "ompt/record/return_address.h"
#include "plugin/session/session.h"

namespace perseid::ompt {
namespace {

template <class Function>
void find(Lookup lookup, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(lookup(name));
}

/// Not zero: the runtime shall call the hooks.
int initialize(Lookup lookup, int, Data*) noexcept {
  SetCallback set_callback;
  find(lookup, "ompt_set_callback", set_callback);
  if (!set_callback) return 0;
  const SystemCallGuard guard;
  find(lookup, "ompt_get_num_places", g_places.count);
  find(lookup, "ompt_get_place_proc_ids", g_places.processors);
  find(lookup, "ompt_get_place_num", g_places.current);
  g_runtime_code = code_range_of(reinterpret_cast<const void*>(set_callback));
  pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1); });
  // What a runtime cannot deliver it refuses, and that is all there is to do about it.
  for (const auto& hooks :
       {team_hooks(), task_hooks(), wait_hooks(), work_hooks(), target_hooks()}) {
    for (const Hook& hook : hooks) set_callback(hook.event, hook.callback);
  }
  g_started_in = getpid();
  return 1;
}

/// The session outlives the runtime: other producers may go on, the runtime may be paused and
/// start again, and the library's destructor or the process' end comes in any case.
void finalize(Data*) noexcept {}

constinit StartToolResult g_result{initialize, finalize, {0}};

}  // namespace
}  // namespace perseid::ompt

extern "C" [[gnu::visibility("default")]] perseid::ompt::StartToolResult* ompt_start_tool(
    unsigned, const char* runtime) noexcept {
  perseid::look_at_switch_again();
  const perseid::Settings& settings = perseid::g_origin.settings;
  if (runtime)
    std::strncpy(perseid::ompt::g_runtime_name, runtime, sizeof perseid::ompt::g_runtime_name - 1);
  return settings.is_on && settings.openmp ? &perseid::ompt::g_result : nullptr;
}
