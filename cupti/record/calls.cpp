// cupti/record/calls.cpp: the program's calls to CUDA, at their begin and their end.
#include <span>

#include "cupti/record/call_list.h"
#include "cupti/record/collector.h"

namespace perseid::cupti {

namespace {

void enable(Domain domain, std::span<const CallRange> ranges) noexcept {
  const Collector& c = g_collector;
  for (const CallRange& range : ranges) {
    for (uint32_t id = range.first; id <= range.last; ++id)
      c.library.enable_callback(1, c.subscriber, domain, id);
  }
}

}  // namespace

void enable_calls() noexcept {
  enable(Domain::kRuntime, kRuntimeCalls);
  enable(Domain::kDriver, kDriverCalls);
}

/// On the program's thread, around the call. Two records of a few nanoseconds; everything else is
/// the decoder's work.
void on_call(void*, Domain domain, uint32_t callback_id, const void* data) noexcept {
  if (!is_on() || (domain != Domain::kRuntime && domain != Domain::kDriver)) return;
  const auto& call = *static_cast<const CallbackData*>(data);
  const uint64_t which = halves(call.correlation, static_cast<uint32_t>(domain));
  if (call.site == CallbackSite::kEnter) {
    if (!g_collector.was_used.load(std::memory_order_relaxed))
      g_collector.was_used.store(true, std::memory_order_relaxed);
    emit(kind(kCallBeginRecord), intern(call.function), which, callback_id);
    // What a device has not handed over when it is reset is gone.
    if (domain == Domain::kRuntime && callback_id == kDeviceReset) {
      const SystemCallGuard guard;
      flush(0);
    }
    return;
  }
  const auto* result = static_cast<const int*>(call.return_value);
  emit(kind(kCallEndRecord), result ? static_cast<uint32_t>(*result) : 0u, which);
}

}  // namespace perseid::cupti
