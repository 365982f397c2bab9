// starpu_hooks/record/chained_callbacks.cpp: pairs of callbacks, in blocks of memory that
// stay.
#include "starpu_hooks/record/chained_callbacks.h"

#include <sched.h>
#include <sys/mman.h>

#include <atomic>

#include "plugin/record/host_guard.h"

namespace perseid::starpu {

namespace {

constexpr size_t kBlockBytes = 64 * 1024;

constinit ChainedCallback* g_free = nullptr;
constinit std::atomic<bool> g_is_taken{false};

class FreeListLock {
 public:
  FreeListLock() noexcept {
    while (g_is_taken.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~FreeListLock() { g_is_taken.store(false, std::memory_order_release); }
  FreeListLock(const FreeListLock&) = delete;
  FreeListLock& operator=(const FreeListLock&) = delete;
};

void add_block() noexcept {
  const SystemCallGuard guard;
  void* at = mmap(nullptr, kBlockBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return;
  auto* block = static_cast<ChainedCallback*>(at);
  for (size_t i = 0; i < kBlockBytes / sizeof *block; ++i) {
    block[i].next = g_free;
    g_free = &block[i];
  }
}

}  // namespace

ChainedCallback* take_chained(CallbackFunction function, void* argument,
                              uint64_t message) noexcept {
  const FreeListLock lock;
  if (!g_free) add_block();
  ChainedCallback* taken = g_free;
  if (!taken) return nullptr;
  g_free = taken->next;
  *taken = {function, argument, message, nullptr};
  return taken;
}

void give_back(ChainedCallback* chained) noexcept {
  const FreeListLock lock;
  chained->next = g_free;
  g_free = chained;
}

}  // namespace perseid::starpu
