// ompt/record/callbacks_target.cpp: target regions, their data movements and kernels.
#include "capture/payload.h"
#include "ompt/record/hooks.h"
#include "plugin/session/producers.h"

namespace perseid::ompt {
namespace {

void on_device(int, const char*, Device*, Lookup, const char*) noexcept {
  if (is_recording()) announce_device();
}

void on_target(TargetKind target, Endpoint endpoint, int device, Data*, Data*, Data*,
               const void* address) noexcept {
  const auto number = static_cast<uint32_t>(device);
  if (endpoint == Endpoint::kBegin) {
    emit(kind(kTargetBegin), static_cast<uint32_t>(target), number, code(address));
  } else {
    emit(kind(kTargetEnd), static_cast<uint32_t>(target), number);
  }
}

void on_data(Endpoint endpoint, Data*, Data*, uint64_t*, DataOperation operation, void* source,
             int source_device, void* target, int target_device, size_t bytes,
             const void*) noexcept {
  const auto arg = static_cast<uint32_t>(operation);
  if (endpoint != Endpoint::kBegin) return emit(kind(kDataEnd), arg);
  const uint64_t devices =
      halves(static_cast<uint32_t>(source_device), static_cast<uint32_t>(target_device));
  emit(kind(kDataBegin), arg, reinterpret_cast<uint64_t>(source), devices,
       reinterpret_cast<uint64_t>(target), bytes);
}

void on_submit(Endpoint endpoint, Data*, uint64_t*, unsigned teams) noexcept {
  emit(kind(endpoint == Endpoint::kBegin ? kSubmitBegin : kSubmitEnd), teams);
}

}  // namespace

std::span<const Hook> target_hooks() noexcept {
  static const Hook hooks[] = {
      hook(CallbackId::kDeviceInitialize, on_device),
      hook(CallbackId::kTargetEmi, on_target),
      hook(CallbackId::kTargetDataOpEmi, on_data),
      hook(CallbackId::kTargetSubmitEmi, on_submit),
  };
  return hooks;
}

}  // namespace perseid::ompt
