// plugin/record/emit.h: the hot API that producers call. Clock, reserve, store, commit.
#pragma once

#include "plugin/record/host_guard.h"
#include "plugin/record/ring.h"

namespace perseid {

/// The master switch, alone on a page that the kernel wipes in a forked child: whatever way a
/// child came into being, it finds "off" and cannot write into its parent's rings.
struct Switch {
  std::atomic<uint32_t> is_recording;
};
inline constinit Switch g_no_switch{0};

/// Where the switch is. Moves once, when the library arms; other threads may be in hooks then.
class SwitchPlace {
 public:
  Switch* operator->() const noexcept { return at_.load(std::memory_order_relaxed); }
  SwitchPlace& operator=(Switch* at) noexcept {
    at_.store(at, std::memory_order_release);
    return *this;
  }

 private:
  std::atomic<Switch*> at_{&g_no_switch};
};
inline constinit SwitchPlace g_switch{};

[[gnu::tls_model("initial-exec")]] inline constinit thread_local Ring* t_ring = nullptr;

inline bool is_recording() noexcept {
  return g_switch->is_recording.load(std::memory_order_relaxed) != 0;
}

/// This thread's ring, taking one from the pool and starting the session where needed. Null if
/// the thread cannot have one; the record it was wanted for is counted as lost.
Ring* join_session() noexcept;

/// The slow path of room_for: the next block, a flush, or a counted loss and nullptr.
std::byte* make_room(size_t bytes) noexcept;

/// A hook was reached from inside Perseid, or from a signal that interrupted it.
void count_nested() noexcept;

/// Room for a record in this thread's ring, or nullptr. Inside an InsideGuard.
inline std::byte* room_for(size_t bytes) noexcept {
  Ring* ring = t_ring;
  std::byte* at = ring ? ring->reserve(bytes) : nullptr;
  if (!at) [[unlikely]]
    at = make_room(bytes);
  return at;
}

/// What emit() leaves to others: whatever may call a function.
template <class... Words>
[[gnu::noinline]] void emit_slowly(uint16_t kind, uint32_t arg, Words... words) noexcept {
  const InsideGuard guard;
  if (!guard) return count_nested();
  constexpr size_t kBytes = sizeof(RecordHeader) + 8 * sizeof...(words);
  std::byte* at = room_for(kBytes);
  if (!at) return;
  Ring::write_record(at, kind, arg, words...);
  t_ring->commit(kBytes);
}

/// Records one event. Safe from any thread at any time; never blocks on the fast path, which calls
/// nothing and therefore has no registers to save.
template <class... Words>
inline void emit(uint16_t kind, uint32_t arg, Words... words) noexcept {
  if (!is_recording()) return;
  constexpr size_t kBytes = sizeof(RecordHeader) + 8 * sizeof...(words);
  Ring* const ring = t_ring;
  if (!ring || t_word.inside != 0 || !g_ticks_are_tsc) [[unlikely]]
    return emit_slowly(kind, arg, words...);
  {
    const InsideGuard guard;
    if (std::byte* const at = ring->reserve(kBytes)) [[likely]] {
      Ring::write_record_at(at, read_tsc(), kind, arg, words...);
      return ring->commit(kBytes);
    }
  }
  emit_slowly(kind, arg, words...);
}

/// Notes what this thread is. Between two records of it: its ring is there with the first, and the
/// role reaches the spool with the second.
inline void set_thread_role(StreamRole role) noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (guard && t_ring != nullptr) t_ring->set_role(role);
}

/// From now on the drainer samples how much CPU time this thread uses. After a record of it.
inline void want_cpu_time() noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (guard && t_ring != nullptr) t_ring->want_cpu_time(true);
}

/// emit() for a payload whose length is known only at run time. At most kMaxRecordWords.
inline void emit_words(uint16_t kind, uint32_t arg, const uint64_t* words, size_t count) noexcept {
  if (!is_recording()) return;
  const InsideGuard guard;
  if (!guard) [[unlikely]]
    return count_nested();
  const size_t bytes = sizeof(RecordHeader) + 8 * count;
  std::byte* at = room_for(bytes);
  if (!at) [[unlikely]]
    return;
  const RecordHeader header{read_ticks(), arg, kind, static_cast<uint8_t>(count), 0};
  std::memcpy(at, &header, sizeof header);
  {
    const Unwatched unwatched;  // the length is known only now, so that this calls a function
    std::memcpy(at + sizeof header, words, 8 * count);
  }
  t_ring->commit(bytes);
}

}  // namespace perseid
