// starpu_hooks/record/callback_wrap.cpp: a table of thunks, one per callback function.
#include "starpu_hooks/record/callback_wrap.h"

#include <iterator>

#include "plugin/record/modules.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"
#include "starpu_hooks/record/thunks.h"

namespace perseid::starpu {

namespace {

constexpr size_t kMaxCallbacks = 512;  // of each kind
constexpr size_t kKinds = 4;

struct RunCallback {
  static void call(void* argument, size_t slot);
};
/// The slots of one kind are adjacent: a thunk knows from its slot which callback it is.
constinit Thunks<RunCallback, kKinds * kMaxCallbacks, void*> g_callbacks;

uint16_t offset_of(CallbackKind which) noexcept {
  const TaskLayout& at = layout().task;
  switch (which) {
    case CallbackKind::kAtEnd:
      return at.callback;
    case CallbackKind::kWhenReady:
      return at.prologue;
    case CallbackKind::kWhenPopped:
      return at.prologue_pop;
    case CallbackKind::kBeforeRelease:
      return at.epilogue;
  }
  return kNotFound;
}

/// Records the begin, and the end when it goes. The task may be freed in between.
class CallbackSpan {
 public:
  CallbackSpan(CallbackFunction function, CallbackKind which) noexcept
      : task_(api().starpu_task_get_current()), worker_(api().starpu_worker_get_id()) {
    const auto code = reinterpret_cast<uint64_t>(function);
    if (which == CallbackKind::kAtEnd)
      emit(kind(kCallbackBegin), bits(worker_), word(task_), code);
    else
      emit(kind(kCallbackBegin), bits(worker_), word(task_), code, static_cast<uint64_t>(which));
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
  const CallbackSpan span(function, static_cast<CallbackKind>(slot / kMaxCallbacks));
  function(argument);
}

void put(Task* task, uint16_t at, CallbackFunction function) noexcept {
  std::memcpy(reinterpret_cast<std::byte*>(task) + at, &function, sizeof function);
}

[[gnu::noinline]] void put_thunk(Task* task, uint16_t at, CallbackFunction function,
                                 CallbackKind which) noexcept {
  note_code(reinterpret_cast<const void*>(function));
  const size_t first = static_cast<size_t>(which) * kMaxCallbacks;
  put(task, at, g_callbacks.of(function, first, kMaxCallbacks));
}

constexpr CallbackKind kAllKinds[] = {CallbackKind::kAtEnd, CallbackKind::kWhenReady,
                                      CallbackKind::kWhenPopped, CallbackKind::kBeforeRelease};
static_assert(std::size(kAllKinds) == kKinds);

}  // namespace

void prepare_callback_wrap() noexcept { g_callbacks.measure(); }

void wrap_callbacks(Task* task) noexcept {
  for (const CallbackKind which : kAllKinds) {
    const uint16_t at = offset_of(which);
    if (at == kNotFound) continue;
    const auto function = field<CallbackFunction>(task, at);
    if (function && !g_callbacks.is_thunk(function)) put_thunk(task, at, function, which);
  }
}

void unwrap_callbacks(Task* task) noexcept {
  for (const CallbackKind which : kAllKinds) {
    const uint16_t at = offset_of(which);
    if (at == kNotFound) continue;
    const auto function = field<CallbackFunction>(task, at);
    if (g_callbacks.is_thunk(function)) put(task, at, g_callbacks.original(function));
  }
}

}  // namespace perseid::starpu
