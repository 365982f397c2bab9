// starpu_hooks/record/data_address.cpp: a small cache, so that only changed addresses are recorded.
#include "starpu_hooks/record/data_address.h"

#include "starpu_hooks/record/data_facts.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

namespace perseid::starpu {

namespace {

/// One word for the latest handle and address of each slot. A handle that was displaced is
/// recorded again, nothing worse.
constinit std::atomic<uint64_t> g_latest[8192];

}  // namespace

void note_address(Data* data) noexcept {
  if (g_runtime.memory_nodes.load(std::memory_order_relaxed) < 2) return;
  const uint64_t address = main_memory_address(data);
  if (address == 0) return;
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  const uint64_t both = word(data) * kOdd ^ address;
  auto& latest = g_latest[word(data) * kOdd >> 51];
  if (latest.load(std::memory_order_relaxed) == both) return;
  latest.store(both, std::memory_order_relaxed);
  emit(kind(kDataAddress), 0, word(data), address, bytes_of(data));
}

}  // namespace perseid::starpu
