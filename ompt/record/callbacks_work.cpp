// ompt/record/callbacks_work.cpp: work sharing, masked regions, cancellation, errors, control.
#include "ompt/record/hooks.h"
#include "ompt/record/return_address.h"
#include "plugin/session/session.h"

namespace perseid::ompt {
namespace {

void on_work(WorkKind work, Endpoint endpoint, Data*, Data*, uint64_t count,
             const void* address) noexcept {
  if (endpoint == Endpoint::kEnd) return emit(kind(kWorkEnd), static_cast<uint32_t>(work));
  if (!is_recording()) return;
  if (work == WorkKind::kTaskloop) address = outside_runtime(address);
  emit(kind(kWorkBegin), static_cast<uint32_t>(work), code(address), count);
}

/// Before OpenMP 5.2 an iteration comes by value, later a chunk by address.
void on_dispatch(Data*, Data*, DispatchKind dispatch, Data instance) noexcept {
  const bool is_chunk = dispatch == DispatchKind::kLoopChunk ||
                        dispatch == DispatchKind::kTaskloopChunk ||
                        dispatch == DispatchKind::kDistributeChunk;
  DispatchChunk chunk{instance.value, 0};
  if (is_chunk && instance.pointer) chunk = *static_cast<const DispatchChunk*>(instance.pointer);
  emit(kind(kDispatch), static_cast<uint32_t>(dispatch), chunk.start, chunk.iterations);
}

void on_masked(Endpoint endpoint, Data*, Data*, const void* address) noexcept {
  if (endpoint == Endpoint::kBegin) {
    emit(kind(kMaskedBegin), 0, code(address));
  } else {
    emit(kind(kMaskedEnd), 0);
  }
}

void on_cancel(Data*, int flags, const void* address) noexcept {
  emit(kind(kCancel), static_cast<uint32_t>(flags), code(address));
}

void on_error(uint32_t severity, const char* message, size_t length, const void* address) noexcept {
  if (!is_recording()) return;
  const uint64_t at = code(address);  // joins the session, which owns the names
  const uint32_t text = t_ring && message ? session().names.intern(message, length) : 0;
  emit(kind(kError), text, severity, at);
}

/// omp_control_tool: the commands that OpenMP defines. 0 is success.
int on_control_tool(uint64_t command, uint64_t, void*, const void*) noexcept {
  constexpr uint64_t kStart = 1, kPause = 2;
  if (command == kStart) resume_recording();
  if (command == kPause) pause_recording();
  return 0;
}

}  // namespace

std::span<const Hook> work_hooks() noexcept {
  static const Hook hooks[] = {
      hook(CallbackId::kWork, on_work),     hook(CallbackId::kDispatch, on_dispatch),
      hook(CallbackId::kMasked, on_masked), hook(CallbackId::kCancel, on_cancel),
      hook(CallbackId::kError, on_error),   hook(CallbackId::kControlTool, on_control_tool),
  };
  return hooks;
}

}  // namespace perseid::ompt
