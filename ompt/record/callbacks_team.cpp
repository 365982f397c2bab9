// ompt/record/callbacks_team.cpp: threads, parallel regions and their implicit tasks.
#include <sched.h>
#include <unistd.h>

#include <cstring>

#include "capture/payload.h"
#include "ompt/record/hooks.h"
#include "plugin/session/session.h"

namespace perseid::ompt {
namespace {

/// A forked child that does nothing with OpenMP ends what its parent began. That alone is no
/// reason to start a session.
bool has_recorded() noexcept { return t_ring != nullptr; }

/// Nor is it that the runtime makes itself ready again in a child, as LLVM's does from version 16
/// on, inside of fork.
bool is_news(bool is_initial) noexcept {
  return !is_initial || has_recorded() || getpid() == g_started_in;
}

void record_runtime() noexcept {
  if (!t_ring || g_runtime_name[0] == '\0') return;
  uint32_t name = 0;
  {
    const SystemCallGuard guard;
    name = session().names.intern(g_runtime_name, std::strlen(g_runtime_name));
  }
  emit(kind(kRuntime), name);
}

void on_thread_begin(ThreadType type, Data*) noexcept {
  if (is_news(type == ThreadType::kInitial)) {
    emit(kind(kThreadBegin), static_cast<uint32_t>(type));
    want_cpu_time();
    if (type == ThreadType::kInitial) record_runtime();
  }
}

void on_thread_end(Data*) noexcept {
  if (has_recorded()) emit(kind(kThreadEnd), 0);
}

void on_parallel_begin(Data*, const Frame*, Data* region, unsigned threads, int flags,
                       const void* address) noexcept {
  const uint64_t id = new_id();
  if (region) region->value = id;
  constexpr uint32_t kFlags = kParallelLeague | kParallelTeam;
  const uint32_t arg = (threads & ~kFlags) | (static_cast<uint32_t>(flags) & kFlags);
  emit(kind(kParallelBegin), arg, id, code(address));
}

void on_parallel_end(Data* region, Data*, int, const void*) noexcept {
  emit(kind(kParallelEnd), 0, value_of(region));
}

/// The processors of all places, once per session: places exist only after the runtime has looked
/// at the machine, which it does when the first team is made.
void record_places(uint32_t count) noexcept {
  constexpr int kMaxProcessors = 64;
  for (uint32_t place = 0; place < count; ++place) {
    int processors[kMaxProcessors];
    const int known = g_places.processors(static_cast<int>(place), kMaxProcessors, processors);
    // The runtime fills nothing if the place is larger than the array.
    if (known <= 0 || known > kMaxProcessors) continue;
    if (!is_recording()) return;
    const InsideGuard guard;
    if (!guard) return;
    const size_t bytes = sizeof(RecordHeader) + 8 * static_cast<size_t>(known);
    std::byte* at = room_for(bytes);
    if (!at) return;
    Ring::write_record(at, kind(kPlace), place);
    at[offsetof(RecordHeader, words)] = static_cast<std::byte>(known);
    for (int i = 0; i < known; ++i) {
      const auto processor = static_cast<uint64_t>(processors[i]);
      std::memcpy(at + sizeof(RecordHeader) + 8 * static_cast<size_t>(i), &processor, 8);
    }
    t_ring->commit(bytes);
  }
}

constinit std::atomic<uint64_t> g_places_recorded_in{0};  // session id

/// Where the calling thread is bound to, plus one; 0 if it is not.
uint32_t current_place() noexcept {
  if (!is_recording() || !g_places.current || !g_places.count || !g_places.processors) return 0;
  const int place = g_places.current();
  if (place < 0) return 0;
  const uint64_t session_id = session().id;
  if (g_places_recorded_in.load(std::memory_order_relaxed) != session_id &&
      g_places_recorded_in.exchange(session_id) != session_id) {
    const int count = g_places.count();
    record_places(count > 0 ? static_cast<uint32_t>(count) : 0);
  }
  return static_cast<uint32_t>(place) + 1;
}

/// Where the calling thread runs right now, plus one; 0 if the kernel does not show it. A load from
/// the thread's own memory: 1.1 ns with the restartable sequences of glibc 2.35.
uint32_t current_processor() noexcept { return static_cast<uint32_t>(sched_getcpu() + 1); }

/// The runtime's word of the task stays zero: see keeps_id in callbacks_task.cpp.
void on_implicit_task(Endpoint endpoint, Data* region, Data*, unsigned team_size, unsigned number,
                      int flags) noexcept {
  if (endpoint == Endpoint::kBegin) {
    // The runtime looks at the machine when it is asked for a place, which it cannot do yet when
    // it makes an initial task: in a forked child it would wait for itself.
    const bool is_initial = (static_cast<uint32_t>(flags) & kTaskInitial) != 0;
    const uint64_t id = is_news(is_initial) ? new_id() : 0;
    if (id == 0) return;
    emit(kind(kImplicitBegin), number, id, value_of(region),
         halves(team_size, is_initial ? 0 : current_place()),
         halves(static_cast<uint32_t>(flags), current_processor()));
  } else if (has_recorded()) {
    emit(kind(kImplicitEnd), static_cast<uint32_t>(flags));
  }
}

}  // namespace

std::span<const Hook> team_hooks() noexcept {
  static const Hook hooks[] = {
      hook(CallbackId::kThreadBegin, on_thread_begin),
      hook(CallbackId::kThreadEnd, on_thread_end),
      hook(CallbackId::kParallelBegin, on_parallel_begin),
      hook(CallbackId::kParallelEnd, on_parallel_end),
      hook(CallbackId::kImplicitTask, on_implicit_task),
  };
  return hooks;
}

}  // namespace perseid::ompt
