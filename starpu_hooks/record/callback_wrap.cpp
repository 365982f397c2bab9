// starpu_hooks/record/callback_wrap.cpp: a table of thunks, one per callback function.
#include "starpu_hooks/record/callback_wrap.h"

#include "plugin/record/modules.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/thunks.h"

namespace perseid::starpu {

namespace {

constexpr size_t kMaxCallbacks = 512;

struct RunCallback {
  static void call(void* argument, size_t slot);
};
constinit Thunks<RunCallback, kMaxCallbacks, void*> g_callbacks;

/// Records the begin, and the end when it goes. The task may be freed in between.
class CallbackSpan {
 public:
  explicit CallbackSpan(CallbackFunction function) noexcept
      : task_(api().starpu_task_get_current()), worker_(api().starpu_worker_get_id()) {
    emit(kind(kCallbackBegin), bits(worker_), word(task_), reinterpret_cast<uint64_t>(function));
  }
  ~CallbackSpan() { emit(kind(kCallbackEnd), bits(worker_), word(task_)); }
  CallbackSpan(const CallbackSpan&) = delete;
  CallbackSpan& operator=(const CallbackSpan&) = delete;

 private:
  Task* task_;
  int worker_;
};

void RunCallback::call(void* argument, size_t slot) {
  const CallbackFunction function = g_callbacks.original(slot);
  if (!is_recording()) return function(argument);
  const CallbackSpan span(function);
  function(argument);
}

std::byte* callback_of(Task* task) noexcept {
  return reinterpret_cast<std::byte*>(task) + layout().task.callback;
}

}  // namespace

void prepare_callback_wrap() noexcept { g_callbacks.measure(); }

void wrap_callback(Task* task) noexcept {
  auto function = field<CallbackFunction>(task, layout().task.callback);
  if (!function || g_callbacks.is_thunk(function)) return;
  note_code(reinterpret_cast<const void*>(function));
  function = g_callbacks.of(function);
  std::memcpy(callback_of(task), &function, sizeof function);
}

void unwrap_callback(Task* task) noexcept {
  auto function = field<CallbackFunction>(task, layout().task.callback);
  if (!g_callbacks.is_thunk(function)) return;
  function = g_callbacks.original(function);
  std::memcpy(callback_of(task), &function, sizeof function);
}

}  // namespace perseid::starpu
