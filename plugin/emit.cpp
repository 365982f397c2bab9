// plugin/emit.cpp: the slow paths of emit.h: joining the session, a full ring, losses.
#include "plugin/emit.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "plugin/session.h"

namespace perseid {

namespace {

constexpr int64_t kPatienceNs = 10'000'000'000;

/// The CPU this thread is pinned to, or -1 if it may choose.
int32_t bound_cpu() noexcept {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) != 1) return -1;
  for (int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) return cpu;
  return -1;
}

bool empty_retired_ring(Ring& ring) noexcept {
  if (!ring.try_consume()) return false;
  const WriteGuard writes;
  const bool is_empty = session().spool.empty_retired(ring);
  ring.stop_consuming();
  return is_empty;
}

/// True once the session is on. The first caller makes it so; others wait for it.
bool session_is_on(Session& s) noexcept {
  SessionState seen = SessionState::kArmed;
  if (s.state.compare_exchange_strong(seen, SessionState::kStarting)) {
    start_session(s);
    seen = s.state.load();
  }
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  while (seen == SessionState::kStarting && read_clock_ns(CLOCK_MONOTONIC) < give_up_ns) {
    sched_yield();
    seen = s.state.load();
  }
  return seen == SessionState::kOn;
}

/// Empties the caller's own full ring, so that nothing is lost. If the drainer is at it, its
/// write is waited for: the alternative is losing records.
bool flush_own_ring(Ring& ring, size_t bytes) noexcept {
  const SystemCallGuard guard;
  const WriteGuard writes;
  const uint64_t began = read_ticks();
  const uint64_t tail_before = ring.tail();
  const auto has_room = [&] { return ring.head() + bytes <= ring.tail() + ring.capacity(); };
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kPatienceNs;
  while (!has_room()) {
    if (ring.try_consume()) {
      const bool is_written = session().spool.empty(ring, kMaxChunkBytes);
      ring.stop_consuming();
      if (!is_written) break;
    } else if (read_clock_ns(CLOCK_MONOTONIC) > give_up_ns) {
      break;
    } else {
      sched_yield();
    }
  }
  const uint64_t moved = ring.tail() - tail_before;
  if (moved == 0) return has_room();  // the drainer was quicker, or nothing could be written
  constexpr size_t kFlushBytes = sizeof(RecordHeader) + 8;
  if (ring.extend(kFlushBytes))
    ring.put(core::kind(core::kSelfFlush), static_cast<uint32_t>(moved), began);
  return true;
}

}  // namespace

Ring* join_session() noexcept {
  const SystemCallGuard guard;
  Session& s = session();
  if (s.state.load() != SessionState::kOn && !session_is_on(s)) return nullptr;
  Ring* ring = s.pool.take(empty_retired_ring);
  if (!ring) {
    s.state_file.counters().lost_without_ring.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (s.state.load() != SessionState::kOn) {
    // The session ended meanwhile and has removed its files already, this one maybe excepted.
    s.pool.discard(*ring);
    return nullptr;
  }

  char name[17] = "";
  prctl(PR_GET_NAME, name);
  const auto tid = static_cast<uint32_t>(syscall(SYS_gettid));
  const bool is_named = std::strcmp(name, s.process_name) != 0;
  const StreamInfo info{s.next_stream.fetch_add(1), tid,
                        is_named ? s.names.intern(name, std::strlen(name)) : 0, bound_cpu()};
  ring->assign(info);
  ring->state.store(RingState::kOwned, std::memory_order_release);
  s.state_file.counters().streams.fetch_add(1, std::memory_order_relaxed);
  t_ring = ring;
  pthread_setspecific(g_origin.thread_key, ring);
  s.drainer.wake();  // to make the next spare
  return ring;
}

std::byte* make_room(size_t bytes) noexcept {
  Ring* ring = t_ring ? t_ring : join_session();
  if (!ring) return nullptr;
  const size_t needed = bytes + (ring->has_gap() ? Ring::kGapBytes : 0);
  if (!ring->extend(needed)) {
    const bool is_flushed =
        g_origin.settings.on_full == OnFull::kFlush && flush_own_ring(*ring, needed);
    if (!is_flushed || !ring->extend(needed)) {
      ring->open_gap(1);
      return nullptr;
    }
  }
  if (ring->has_gap()) {
    ring->close_gap();
    ring->extend(bytes);
  }
  if (!ring->overwrites() && ring->is_worth_draining(ring->used())) {
    const SystemCallGuard guard;
    session().drainer.wake();
  }
  return ring->reserve(bytes);
}

void count_nested() noexcept {
  Session& s = session();
  if (s.state.load() == SessionState::kOn)
    s.state_file.counters().nested.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace perseid
