// cupti/record/buffers.cpp: the memory that CUPTI writes its records into, and their way out of it.
//
// CUPTI asks for a buffer while it holds its own lock: nothing of CUPTI may be called there. The
// memory comes from the system, not from the program's allocator, and is used again and again.
#include <sys/mman.h>

#include <array>

#include "cupti/record/collector.h"
#include "plugin/session/session.h"

namespace perseid::cupti {

namespace {

constexpr size_t kBufferBytes = 1024 * 1024;
constexpr size_t kMaxKinds = 256;

/// A list of free buffers, linked through their first words. Held for a few instructions only.
class Pool {
 public:
  uint8_t* take() noexcept {
    lock();
    Free* first = first_;
    if (first) first_ = first->next;
    const bool may_grow = !first && bytes_ + kBufferBytes <= g_origin.settings.memory_bytes;
    if (may_grow) bytes_ += kBufferBytes;
    unlock();
    if (first) return reinterpret_cast<uint8_t*>(first);
    return may_grow ? map() : nullptr;
  }
  void give(uint8_t* buffer) noexcept {
    auto* freed = reinterpret_cast<Free*>(buffer);
    lock();
    freed->next = first_;
    first_ = freed;
    unlock();
  }
  static uint8_t* map() noexcept {
    void* at =
        mmap(nullptr, kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<uint8_t*>(at);
  }

 private:
  struct Free {
    Free* next;
  };
  void lock() noexcept {
    while (is_locked_.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock() noexcept { is_locked_.clear(std::memory_order_release); }

  std::atomic_flag is_locked_{};
  Free* first_ = nullptr;
  size_t bytes_ = 0;
};
constinit Pool g_pool{};

struct Counts {
  std::array<uint32_t, kMaxKinds> unknown{};
  uint64_t others = 0;
};

void report_unknown(const Counts& counts) noexcept {
  for (uint32_t i = 0; i < kMaxKinds; ++i) {
    if (counts.unknown[i] > 0) emit(kind(kUnknownKindRecord), i, counts.unknown[i]);
  }
  if (counts.others > 0) emit(kind(kUnknownKindRecord), uint32_t{kMaxKinds}, counts.others);
}

void record_activities(uint8_t* buffer, size_t valid_bytes) noexcept {
  const Collector& c = g_collector;
  Counts counts;
  Activity* record = nullptr;
  while (c.library.next_record(buffer, valid_bytes, &record) == Result::kSuccess) {
    if (record_activity(*record, c.version)) continue;
    const auto number = static_cast<uint32_t>(record->kind);
    if (number < kMaxKinds)
      ++counts.unknown[number];
    else
      ++counts.others;
  }
  report_unknown(counts);
}

void count_dropped(void* context, uint32_t stream) noexcept {
  Collector& c = g_collector;
  size_t dropped = 0;
  if (!c.library.dropped_records ||
      c.library.dropped_records(context, stream, &dropped) != Result::kSuccess || dropped == 0)
    return;
  c.dropped.fetch_add(dropped);
  emit(kind(kDroppedRecord), 0, uint64_t{dropped});
}

}  // namespace

void on_buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) noexcept {
  const SystemCallGuard guard;
  g_collector.was_used.store(true, std::memory_order_relaxed);
  *buffer = g_pool.take();
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;
  // CUPTI before 12.9 crashes when it gets none: then the limit has to give way.
  if (!*buffer && g_collector.version < kVersion12_9) {
    *buffer = Pool::map();
    *size = *buffer ? kBufferBytes : 0;
  }
}

void on_buffer_completed(void* context, uint32_t stream, uint8_t* buffer, size_t,
                         size_t valid_bytes) noexcept {
  const SystemCallGuard guard;
  if (!is_on()) return;  // late, or in a child: the buffer is left alone
  if (buffer && valid_bytes > 0) {
    // The pair that is nearest to these records comes before them.
    if (g_collector.has_own_clock) record_clock();
    record_activities(buffer, valid_bytes);
  }
  count_dropped(context, stream);
  if (buffer) g_pool.give(buffer);
}

}  // namespace perseid::cupti
