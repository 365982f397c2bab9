// starpu_hooks/record/lifecycle.cpp: StarPU starts, stops, pauses; and so do its hooks.
#include <sched.h>

#include "plugin/session/loaded_files.h"
#include "plugin/session/message.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"
#include "starpu_hooks/record/callback_wrap.h"
#include "starpu_hooks/record/codelet_wrap.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/late_attach.h"
#include "starpu_hooks/record/policy_hooks.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/starpu/find_starpu.h"

namespace perseid::starpu {

namespace {

constinit std::atomic<bool> g_is_prepared{false};
constinit std::atomic<bool> g_has_run{false};
constinit std::atomic<int> g_initializing{0};
constinit std::atomic<bool> g_is_joining{false};

/// StarPU is up for the first time, or again after a shutdown.
void begin_runtime(int result) noexcept {
  g_has_run.store(true);
  if (result == 0) {
    attach_late();
    inspect_runtime();
    if (is_recording()) {
      hook_policy(0);
      announce_runtime();
    }
  }
  if (!is_recording()) return;
  const StarpuApi& starpu = api();
  const bool is_up = result == 0 && layout().has_tasks;
  emit(kind(kInitEnd), bits(result),
       is_up ? halves(starpu.starpu_worker_get_count(), starpu.starpu_memory_nodes_get_count())
             : uint64_t{0});
}

}  // namespace

void attach_to_running_runtime() noexcept {
  while (g_is_joining.exchange(true, std::memory_order_acquire)) sched_yield();
  if (!g_runtime.is_known.load(std::memory_order_relaxed)) {
    emit(kind(kInitBegin), 0);
    begin_runtime(0);
  }
  g_is_joining.store(false, std::memory_order_release);
}

bool is_initializing() noexcept { return g_initializing.load() != 0; }

/// When the library arms.
void start() noexcept {
  g_records_everything = g_origin.settings.starpu == StarpuDetail::kAll;
  prepare_codelet_wrap();
  prepare_callback_wrap();
  forget_codelets();
  g_runtime.is_announced.store(false);
  // A forked child has what its parent did, and must not ask the loader in a fork handler.
  if (!g_is_prepared.exchange(true)) attach_late();
}

/// Before the last drain. Asks the loader nothing: a program may have called exit() in a handler of
/// a signal, and the loader allocates.
void stop() noexcept {
  if (g_has_run.load()) return;
  const SystemCallGuard guard;
  if (is_linked_into_program())
    warn(
        "this program is linked with a static StarPU: its tasks cannot be traced; link it with the "
        "shared libstarpu");
}

void explain(bool has_recorded) noexcept {
  if (g_has_run.load() || has_recorded) return;
  if (is_linked_into_program()) return report_unrecorded(Unrecorded::kReported, "");
  if (!is_loaded("libstarpu-")) return;
  Line line;
  line << ProgramName().text << " ended before starpu_init";
  report_unrecorded(Unrecorded::kIdle, line.c_str());
}

}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_initialize(void* conf, int* argc, char*** argv) {
  const StarpuApi& starpu = api();
  look_at_switch_again();
  if (!g_origin.settings.is_on) return starpu.starpu_initialize(conf, argc, argv);
  const bool is_first = !starpu.starpu_is_initialized || !starpu.starpu_is_initialized();
  emit(kind(kInitBegin), 0);
  g_initializing.fetch_add(1);
  const int result = starpu.starpu_initialize(conf, argc, argv);
  g_initializing.fetch_sub(1);
  if (is_first || result != 0) {
    begin_runtime(result);
  } else {
    emit(kind(kInitEnd), 0, uint64_t{0});
  }
  return result;
}

/// A StarPU that calls its own functions directly does not come by the function above.
PERSEID_HOOK int starpu_init(void* conf) {
  const StarpuApi& starpu = api();
  look_at_switch_again();
  const int result = starpu.starpu_init(conf);
  if (g_origin.settings.is_on && result == 0 && !g_runtime.is_known.load())
    attach_to_running_runtime();
  return result;
}

PERSEID_HOOK void starpu_shutdown() {
  emit(kind(kShutdownBegin), 0);
  api().starpu_shutdown();
  emit(kind(kShutdownEnd), 0);
}

PERSEID_HOOK void starpu_pause() {
  api().starpu_pause();
  emit(kind(kPauseWorkers), 0);
}

PERSEID_HOOK void starpu_resume() {
  emit(kind(kResumeWorkers), 0);
  api().starpu_resume();
}
