// cupti/record/collector.h: the one subscription to CUPTI in this process, and what its parts
// share.
//
//   idle      CUDA has not shown itself
//   starting  one thread is subscribing
//   on        callbacks and buffers arrive
//   off       over, impossible, or a forked child: CUPTI is not called any more
#pragma once

#include <atomic>

#include "capture/payload.h"
#include "cupti/events.h"
#include "cupti/record/library.h"
#include "plugin/record/emit.h"

namespace perseid::cupti {

enum class State : uint8_t { kIdle, kStarting, kOn, kOff };

/// Never destroyed: CUPTI may call during exit.
struct Collector {
  std::atomic<State> state{State::kIdle};
  std::atomic<bool> was_used{false};     // a call or a buffer came: there is something to flush
  std::atomic<bool> is_flushing{false};  // two flushes at once never end
  std::atomic<uint64_t> dropped{0};
  bool has_own_clock = false;  // CUPTI refused ours
  uint32_t version = 0;
  std::atomic<int> process{0};  // that subscribed; in others CUPTI must not be called
  Library library{};
  Subscriber subscriber = nullptr;
};
inline constinit Collector g_collector{};

inline bool is_on() noexcept {
  return g_collector.state.load(std::memory_order_acquire) == State::kOn;
}

/// CUDA is here: subscribes once. `is_late`: contexts and streams may exist already.
void begin_collecting(bool is_late) noexcept;
/// Fetches the records that CUPTI still holds. Does nothing while another thread does it.
void flush(uint32_t flags) noexcept;

/// calls.cpp: the functions whose calls are recorded.
void enable_calls() noexcept;
void on_call(void* user, Domain domain, uint32_t callback_id, const void* data) noexcept;

/// buffers.cpp: CUPTI's records come in buffers of ours.
void on_buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) noexcept;
void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t size,
                         size_t valid_bytes) noexcept;

/// records.cpp: one activity as one record. False for kinds it does not know.
bool record_activity(const Activity& activity, uint32_t version) noexcept;

/// Of the clock that CUPTI keeps itself, a reading between two of ours.
void record_clock() noexcept;

/// 0 for none or while nothing can be recorded.
uint32_t intern(const char* text) noexcept;

}  // namespace perseid::cupti
