// starpu_hooks/record/hook.h: what every hook needs: the original, the switch, and words for
// records.
#pragma once

#include <bit>
#include <cstdint>

#include "plugin/record/emit.h"
#include "starpu_hooks/events.h"
#include "starpu_hooks/record/starpu/starpu_api.h"

/// A function of StarPU's that we define in its place. Not noexcept: StarPU may run the program's
/// own callbacks inside it, and what they throw, or a pthread_exit, has to pass through us as it
/// would through StarPU. Forwards exactly once.
#define PERSEID_HOOK extern "C" [[gnu::visibility("default")]]

namespace perseid::starpu {

template <class T>
uint64_t word(T* object) noexcept {
  return reinterpret_cast<uint64_t>(object);
}
inline uint64_t word(double value) noexcept { return std::bit_cast<uint64_t>(value); }
constexpr uint32_t bits(int value) noexcept { return static_cast<uint32_t>(value); }

/// The string id of a text of the program's, 0 for none or while nothing can be recorded.
uint32_t intern(const char* text) noexcept;

/// True if scheduling, data and transfers are recorded, and not only tasks.
inline constinit bool g_records_everything = false;  // set when the library arms
inline bool records_everything() noexcept { return g_records_everything; }

}  // namespace perseid::starpu
