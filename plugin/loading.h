// plugin/loading.h: fork must not happen while a background thread loads a shared library.
//
// The child would inherit the dynamic linker in the middle of its work, and its first dlopen
// would end it with "Inconsistency detected by ld.so".
#pragma once

#include <sched.h>

#include <atomic>

namespace perseid {

inline constinit std::atomic<bool> g_is_loading{false};

/// Held by the drainer around dlopen, and by every fork from its prepare handler on.
inline void hold_loading() noexcept {
  while (g_is_loading.exchange(true, std::memory_order_acquire)) sched_yield();
}
inline void allow_loading() noexcept { g_is_loading.store(false, std::memory_order_release); }

}  // namespace perseid
