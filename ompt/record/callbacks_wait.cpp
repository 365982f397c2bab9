// ompt/record/callbacks_wait.cpp: barriers, taskwait, taskgroup, reductions, critical sections and
// locks.
#include "ompt/record/hooks.h"
#include "ompt/record/return_address.h"

namespace perseid::ompt {
namespace {

/// Called by a line of the program, also if the runtime has forgotten which. Other barriers end
/// something, and a worker reaches the last one without the program.
bool is_construct(SyncKind sync) noexcept {
  return sync == SyncKind::kTaskwait || sync == SyncKind::kTaskgroup ||
         sync == SyncKind::kBarrierExplicit;
}

void on_sync_region(SyncKind sync, Endpoint endpoint, Data*, Data*, const void* address) noexcept {
  if (endpoint == Endpoint::kBegin) {
    if (!address && is_construct(sync) && is_recording()) [[unlikely]]
      address = find_program_address();
    emit(kind(kSyncBegin), static_cast<uint32_t>(sync), code(address));
  } else {
    emit(kind(kSyncEnd), static_cast<uint32_t>(sync));
  }
}

/// Only a taskgroup has something before its wait; elsewhere the wait is the region.
void on_sync_region_wait(SyncKind sync, Endpoint endpoint, Data*, Data*, const void*) noexcept {
  if (sync != SyncKind::kTaskgroup) return;
  emit(kind(endpoint == Endpoint::kBegin ? kWaitBegin : kWaitEnd), static_cast<uint32_t>(sync));
}

void on_mutex_acquire(MutexKind mutex, unsigned, unsigned, uint64_t id,
                      const void* address) noexcept {
  if (!is_recording()) return;
  address = outside_runtime(address);
  emit(kind(kMutexAcquire), static_cast<uint32_t>(mutex), id, code(address));
}

void on_mutex_acquired(MutexKind mutex, uint64_t id, const void*) noexcept {
  emit(kind(kMutexAcquired), static_cast<uint32_t>(mutex), id);
}

void on_mutex_released(MutexKind mutex, uint64_t id, const void*) noexcept {
  emit(kind(kMutexReleased), static_cast<uint32_t>(mutex), id);
}

}  // namespace

std::span<const Hook> wait_hooks() noexcept {
  static const Hook hooks[] = {
      hook(CallbackId::kSyncRegion, on_sync_region),
      hook(CallbackId::kSyncRegionWait, on_sync_region_wait),
      hook(CallbackId::kReduction, on_sync_region),
      hook(CallbackId::kMutexAcquire, on_mutex_acquire),
      hook(CallbackId::kMutexAcquired, on_mutex_acquired),
      hook(CallbackId::kMutexReleased, on_mutex_released),
  };
  return hooks;
}

}  // namespace perseid::ompt
