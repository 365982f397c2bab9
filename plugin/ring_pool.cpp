// plugin/ring_pool.cpp: see ring_pool.h.
#include "plugin/ring_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "plugin/fixed_text.h"
#include "plugin/host_guard.h"
#include "plugin/message.h"
#include "plugin/ring_sizes.h"

namespace perseid {

namespace {
/// A thread without a ring asks again at every event; a full disk is asked less often.
constexpr int64_t kPauseAfterFailureNs = 200'000'000;
}  // namespace

void ring_path(char (&path)[PATH_MAX], const char* directory, uint32_t index) noexcept {
  FixedText<PATH_MAX> text;
  text << directory << '/' << uint64_t{index} << kRingSuffix;
  std::memcpy(path, text.c_str(), text.size() + 1);
}

bool RingPool::open(const RingPlan& plan) noexcept {
  plan_ = plan;
  // Zero pages are valid rings in state kAbsent; only slots in use cost memory.
  void* list = mmap(nullptr, kMaxRings * sizeof(Ring), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (list == MAP_FAILED) return false;
  rings_ = static_cast<Ring*>(list);
  return true;
}

void RingPool::close() noexcept {
  if (rings_) munmap(static_cast<void*>(rings_), kMaxRings * sizeof(Ring));
  rings_ = nullptr;
}

Ring* RingPool::take(bool (*drain)(Ring&) noexcept) noexcept {
  // Emptying a ring that a thread has left costs less than making one, and memory follows the
  // threads that live at the same time, not those that ever lived.
  for (const RingState wanted : {RingState::kSpare, RingState::kRetired}) {
    const uint32_t end = count();
    for (uint32_t i = 0; i < end; ++i) {
      Ring& ring = rings_[i];
      RingState seen = wanted;
      if (ring.state.load(std::memory_order_relaxed) != wanted ||
          !ring.state.compare_exchange_strong(seen, RingState::kMaking, std::memory_order_acquire))
        continue;
      if (wanted == RingState::kSpare || drain(ring)) return &ring;
      ring.state.store(RingState::kRetired, std::memory_order_release);
    }
  }
  return make();
}

void RingPool::top_up() noexcept {
  uint32_t spares = 0;
  const uint32_t end = count();
  for (uint32_t i = 0; i < end && spares < kSpares; ++i)
    if (rings_[i].state.load(std::memory_order_relaxed) == RingState::kSpare) ++spares;
  // The last quarter of the cap is left to threads that ask.
  if (spares >= kSpares || bytes() + plan_.ring_bytes > plan_.memory_bytes / 4 * 3) return;
  if (Ring* made = make()) made->state.store(RingState::kSpare, std::memory_order_release);
}

Ring* RingPool::make() noexcept {
  if (read_clock_ns(CLOCK_MONOTONIC) < retry_ns_.load(std::memory_order_relaxed)) return nullptr;
  const WriteGuard writes;
  const uint64_t size = next_ring_bytes(plan_.ring_bytes, plan_.memory_bytes, bytes());
  if (bytes_.fetch_add(size, std::memory_order_relaxed) + size > plan_.memory_bytes) {
    bytes_.fetch_sub(size, std::memory_order_relaxed);
    report_no_memory();
    return nullptr;
  }
  uint32_t index = count_.load(std::memory_order_relaxed);
  do
    if (index >= kMaxRings) {
      bytes_.fetch_sub(size, std::memory_order_relaxed);
      report_no_memory();
      return nullptr;
    }
  while (!count_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));

  Ring& ring = rings_[index];
  ring.state.store(RingState::kMaking, std::memory_order_relaxed);
  const int error = create(ring, index, size);
  if (error == 0) return &ring;
  bytes_.fetch_sub(size, std::memory_order_relaxed);
  ring.state.store(RingState::kBroken, std::memory_order_release);
  retry_ns_.store(read_clock_ns(CLOCK_MONOTONIC) + kPauseAfterFailureNs, std::memory_order_relaxed);
  if (!has_complained_.exchange(true)) {
    Line line;
    line << "cannot make a ring of " << size / 1024 << "K in " << plan_.directory << " or "
         << plan_.capture << ": ";
    line.append_error(error) << "; set ring= or memory= to less, or dir= to a place with room";
    warn(line.c_str());
  }
  return nullptr;
}

void RingPool::report_no_memory() noexcept {
  if (has_reported_no_memory_.exchange(true)) return;
  Line line;
  line << "no ring for one more thread: memory=" << plan_.memory_bytes / 1024 << "K is shared by "
       << uint64_t{count()} << " threads; its events are lost and counted; set memory= to more";
  if (plan_.ring_bytes > kMinRingBytes)
    line << ", or ring= to less than " << plan_.ring_bytes / 1024 << 'K';
  warn(line.c_str());
}

int RingPool::create(Ring& ring, uint32_t index, uint64_t bytes) noexcept {
  char path[PATH_MAX];
  int error = ENOSPC;
  if (!is_directory_full_.load(std::memory_order_relaxed)) {
    ring_path(path, plan_.directory, index);
    error = ring.create(path, bytes, plan_.session, plan_.on_full);
    if (error == 0) return 0;
    // Without a descriptor or address space no other place is better.
    if (error == EMFILE || error == ENFILE || error == ENOMEM) return error;
    is_directory_full_.store(true, std::memory_order_relaxed);
  }
  ring_path(path, plan_.capture, index);
  error = ring.create(path, bytes, plan_.session, plan_.on_full);
  ring.is_in_capture = error == 0;
  return error;
}

void RingPool::discard(Ring& ring) noexcept {
  char path[PATH_MAX];
  ring_path(path, ring.is_in_capture ? plan_.capture : plan_.directory,
            static_cast<uint32_t>(&ring - rings_));
  unlink(path);
  // The session's own attempts failed if this file was still there. They fail again if it is
  // needed: a capture that stays is not empty.
  rmdir(plan_.directory);
  rmdir(plan_.capture);
  ring.state.store(RingState::kBroken, std::memory_order_release);
}

bool RingPool::remove_files(bool keep_unread) noexcept {
  bool is_all_gone = true;
  const uint32_t end = count();
  for (uint32_t i = 0; i < end; ++i) {
    Ring& ring = rings_[i];
    const RingState state = ring.state.load(std::memory_order_acquire);
    if (state == RingState::kBroken) continue;
    if (state == RingState::kMaking || (keep_unread && ring.head() != ring.tail())) {
      is_all_gone = false;
      continue;
    }
    char path[PATH_MAX];
    ring_path(path, ring.is_in_capture ? plan_.capture : plan_.directory, i);
    unlink(path);
  }
  if (is_all_gone && std::strcmp(plan_.directory, plan_.capture) != 0) rmdir(plan_.directory);
  return is_all_gone;
}

}  // namespace perseid
