// ompt/record/hooks.h: what the files of callbacks share.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <span>

#include "ompt/events.h"
#include "ompt/record/api.h"
#include "plugin/record/emit.h"
#include "plugin/record/modules.h"

namespace perseid::ompt {

struct Hook {
  CallbackId event;
  Function callback;
};

template <class Callback>
Hook hook(CallbackId event, Callback* callback) noexcept {
  return {event, reinterpret_cast<Function>(callback)};
}

std::span<const Hook> team_hooks() noexcept;
std::span<const Hook> task_hooks() noexcept;
std::span<const Hook> wait_hooks() noexcept;
std::span<const Hook> work_hooks() noexcept;
std::span<const Hook> target_hooks() noexcept;

/// How often this process was forked since the runtime started. A child inherits its parent's ids
/// in the runtime's data, but numbers its own from the beginning.
inline constinit std::atomic<uint64_t> g_forks{0};

/// An id that no other task or region of this process has; 0 if nothing is recorded now.
inline uint64_t new_id() noexcept {
  constexpr unsigned kForksShift = 60;
  if (!t_ring) [[unlikely]] {
    if (!is_recording()) return 0;
    const InsideGuard guard;
    if (!guard || !join_session()) return 0;
  }
  return t_ring->next_slice_id() ^ g_forks.load(std::memory_order_relaxed) << kForksShift;
}

/// In the runtime's word of an explicit task that was created while nothing was recorded.
inline constexpr uint64_t kUnrecordedTask = ~uint64_t{0};

inline constexpr char kLibgomp[] = "libgomp.so.1";

/// LLVM's runtime was to take libgomp's place in this program and cannot; that has been reported.
inline constinit bool g_keeps_libgomp = false;

/// What the runtime calls itself; "" if it does not.
inline constinit char g_runtime_name[128] = "";

/// The process in which a runtime has asked for the hooks; 0: none has.
inline constinit pid_t g_started_in = 0;

inline uint64_t value_of(const Data* data) noexcept { return data ? data->value : 0; }

/// For the address in a record: the file it belongs to is known afterwards.
inline uint64_t code(const void* address) noexcept {
  if (is_recording()) note_code(address);
  return reinterpret_cast<uint64_t>(address);
}

/// The functions that return where a thread may run. Null members: the runtime has none.
struct Places {
  GetNumPlaces count;
  GetPlaceProcIds processors;
  GetPlaceNum current;
};
inline constinit Places g_places{};

}  // namespace perseid::ompt
