// mpi/record/persistent_requests.cpp: a fixed hash table from request to its arguments.
#include "mpi/record/persistent_requests.h"

#include <sched.h>

#include <atomic>

namespace perseid::mpi {

namespace {

struct Entry {
  std::atomic<Word> request{0};  // 0: free
  PersistentRequest info;
};

constexpr size_t kSlotBits = 13;
constexpr size_t kSlots = size_t{1} << kSlotBits;
// An entry is at most this far from its slot, so searches for requests that are not there end soon.
constexpr size_t kReach = 64;
constinit Entry g_entries[kSlots]{};
constinit std::atomic<bool> g_is_changing{false};

Entry& entry_at(Word request, size_t step) noexcept {
  const auto slot = static_cast<size_t>((request * 0x9e3779b97f4a7c15) >> (64 - kSlotBits));
  return g_entries[(slot + step) % kSlots];
}

/// Looks for `wanted` where `request` belongs. Readers need no lock: MPI forbids to start a request
/// while another thread makes or frees it.
Entry* find(Word request, Word wanted) noexcept {
  for (size_t step = 0; step < kReach; ++step) {
    Entry& entry = entry_at(request, step);
    if (entry.request.load(std::memory_order_acquire) == wanted) return &entry;
  }
  return nullptr;
}

class ChangeLock {
 public:
  ChangeLock() noexcept {
    while (g_is_changing.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~ChangeLock() { g_is_changing.store(false, std::memory_order_release); }
  ChangeLock(const ChangeLock&) = delete;
  ChangeLock& operator=(const ChangeLock&) = delete;
};

}  // namespace

void keep_persistent_request(Word request, const PersistentRequest& info) noexcept {
  const ChangeLock lock;
  Entry* entry = find(request, request);
  if (!entry) entry = find(request, 0);
  if (!entry) return;
  entry->info = info;
  entry->request.store(request, std::memory_order_release);
}

const PersistentRequest* find_persistent_request(Word request) noexcept {
  const Entry* entry = find(request, request);
  return entry ? &entry->info : nullptr;
}

void forget_persistent_request(Word request) noexcept {
  const ChangeLock lock;
  if (Entry* entry = find(request, request)) entry->request.store(0, std::memory_order_release);
}

}  // namespace perseid::mpi
