// plugin/record/emit.cpp: the slow paths of emit.h: joining the session, a full ring, losses.
#include "plugin/record/emit.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "plugin/session/session.h"

namespace perseid {

namespace {

constexpr int64_t kTimeoutNs = 10'000'000'000;
constexpr int64_t kMaxSleepNs = 100'000'000;  // should a wake ever be missed

/// The CPU this thread is pinned to, or -1 if it may choose.
int32_t bound_cpu() noexcept {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) != 1) return -1;
  for (int32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) return cpu;
  return -1;
}

/// True once the session is on. The first caller makes it so; others wait for it.
bool session_is_on(Session& s) noexcept {
  SessionState seen = SessionState::kArmed;
  if (s.state.compare_exchange_strong(seen, SessionState::kStarting)) {
    start_session(s);
    seen = s.state.load();
  }
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kTimeoutNs;
  while (seen == SessionState::kStarting && read_clock_ns(CLOCK_MONOTONIC) < give_up_ns) {
    sched_yield();
    seen = s.state.load();
  }
  return seen == SessionState::kOn;
}

/// Has the caller's full ring emptied, so that nothing is lost: the drainer is asked and waited
/// for, because it alone has the file. Where the file cannot be written there is nothing to wait
/// for, and no system call is made.
bool flush_own_ring(Ring& ring, size_t bytes) noexcept {
  Session& s = session();
  if (s.spool.is_failing()) return false;
  const SystemCallGuard guard;
  const uint64_t began = read_ticks();
  const uint64_t tail_before = ring.tail();
  const auto has_room = [&] { return ring.head() + bytes <= ring.tail() + ring.capacity(); };
  s.pool.ask(ring);
  s.drainer.wake();
  ring.wait_for_drainer(kTimeoutNs, [&] { return has_room() || s.spool.is_failing(); });
  const uint64_t moved = ring.tail() - tail_before;
  if (moved == 0) return has_room();
  constexpr size_t kFlushBytes = sizeof(RecordHeader) + 8;
  if (ring.extend(kFlushBytes))
    ring.put(core::kind(core::kSelfFlush), static_cast<uint32_t>(moved), began);
  return true;
}

/// Null if there is none and none can be made.
Ring* take_ring(Session& s) noexcept {
  if (Ring* ring = s.pool.take()) return ring;
  if (s.pool.is_exhausted()) return nullptr;
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kTimeoutNs;
  s.pool.want();
  Ring* ring = nullptr;
  while (s.state.load() == SessionState::kOn && read_clock_ns(CLOCK_MONOTONIC) < give_up_ns) {
    const uint32_t seen = s.pool.news.load(std::memory_order_seq_cst);
    ring = s.pool.take();
    if (ring || s.pool.is_exhausted()) break;
    s.drainer.wake();
    futex_wait(s.pool.news, seen, kMaxSleepNs);
  }
  s.pool.want_no_more();
  return ring;
}

}  // namespace

Ring* join_session() noexcept {
  const SystemCallGuard guard;
  Session& s = session();
  if (s.state.load() != SessionState::kOn && !session_is_on(s)) return nullptr;
  Ring* ring = take_ring(s);
  if (!ring) {
    s.state_file.count(&StateHeader::lost_without_ring);
    return nullptr;
  }
  if (s.state.load() != SessionState::kOn) {
    s.pool.put_back(*ring);  // the session ended meanwhile
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
  s.state_file.add(&StateHeader::streams, 1);
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
    Session& s = session();
    if (!s.pool.is_asking(*ring)) {
      s.pool.ask(*ring);
      s.drainer.wake();
    }
  }
  return ring->reserve(bytes);
}

void count_nested() noexcept {
  Session& s = session();
  if (s.state.load() == SessionState::kOn) s.state_file.count(&StateHeader::nested);
}

}  // namespace perseid
