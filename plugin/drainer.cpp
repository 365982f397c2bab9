// plugin/drainer.cpp: see drainer.h.
#include "plugin/drainer.h"

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "plugin/descriptor.h"
#include "plugin/emit.h"
#include "plugin/fixed_text.h"
#include "plugin/session.h"
#include "plugin/topology_writer.h"

namespace perseid {

namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kTurnNs = 100 * kMillisecond;
/// Records older than this go to disk even from a nearly empty ring: /dev/shm may be wiped when
/// a batch job ends, the capture's directory is not.
constexpr int64_t kMaxAgeNs = 2000 * kMillisecond;
constexpr int64_t kConsumerPatienceNs = 1000 * kMillisecond;
constexpr size_t kStackBytes = 1024 * 1024;  // the timeline is written on it, too
constexpr size_t kMaxStackBytes = size_t{4} << 30;

/// The C library takes the thread-local data of the program and its libraries out of a thread's
/// stack. Those of libraries that were loaded late are somewhere else, and counted all the same.
size_t thread_local_bytes() noexcept {
  size_t bytes = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* file, size_t, void* sum) {
        for (int i = 0; i < file->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = file->dlpi_phdr[i];
          if (segment.p_type == PT_TLS)
            *static_cast<size_t*>(sum) += segment.p_memsz + segment.p_align;
        }
        return 0;
      },
      &bytes);
  return bytes;
}

long futex(std::atomic<uint32_t>& word, int operation, uint32_t value,
           const timespec* timeout) noexcept {
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

pid_t this_thread() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

int Drainer::start(Session& session) noexcept {
  pthread_attr_t attributes;
  if (const int error = pthread_attr_init(&attributes)) return error;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);

  sigset_t all, kept;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &kept);
  pthread_t thread;
  int error = EINVAL;
  // EINVAL: the C library wants to take still more out of the stack.
  for (size_t bytes = kStackBytes + thread_local_bytes(); error == EINVAL && bytes < kMaxStackBytes;
       bytes *= 2) {
    pthread_attr_setstacksize(&attributes, bytes);
    error = pthread_create(&thread, &attributes, run, &session);
  }
  pthread_sigmask(SIG_SETMASK, &kept, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

void* Drainer::run(void* argument) noexcept {
  auto& session = *static_cast<Session*>(argument);
  t_word.inside = 1;  // nothing this thread does is the program's doing
  const Unwatched unwatched;
  prctl(PR_SET_NAME, "perseid");
  sched_setaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
  const sched_param ordinary{};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  session.drainer.tid_.store(this_thread(), std::memory_order_release);
  if (!open_session(session)) return nullptr;
  write_topology(session.capture);
  session.state_file.anchor(true);
  session.drainer.loop(session);
  return nullptr;
}

bool Drainer::is_this_thread() const noexcept {
  return tid_.load(std::memory_order_acquire) == this_thread();
}

void Drainer::loop(Session& session) noexcept {
  while (!must_end_.load(std::memory_order_acquire)) {
    const uint32_t seen = work_.load(std::memory_order_seq_cst);
    session.state_file.anchor(false);
    session.pool.top_up();
    drain_rings(session);
    session.spool.bound_page_cache();
    if (is_last_thread()) {
      // Every thread of the program has left by pthread_exit. Returning makes this the last
      // one to go, so that the C library calls exit(), handlers and destructors run, and the
      // destructor of this library ends the session.
      t_word.inside = 0;  // what these handlers record is the program's
      WriteGuard().discard_pending();
      sigset_t none;
      sigemptyset(&none);
      pthread_sigmask(SIG_SETMASK, &none, nullptr);
      return;
    }
    sleep(seen, is_main_gone_.load(std::memory_order_relaxed) ? 10 * kMillisecond : kTurnNs);
  }
  end(session);
}

void Drainer::drain_rings(Session& session) noexcept {
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  const uint32_t count = session.pool.count();
  for (uint32_t i = 0; i < count; ++i) {
    Ring& ring = session.pool.ring(i);
    heartbeat.fetch_add(1, std::memory_order_relaxed);
    RingState state = ring.state.load(std::memory_order_acquire);
    if (state == RingState::kRetired) {
      // kMaking while we work on it: a new thread must not take it half drained.
      if (!ring.state.compare_exchange_strong(state, RingState::kMaking)) continue;
      const bool is_mine = ring.try_consume();
      const bool is_empty = is_mine && session.spool.empty_retired(ring);
      if (is_mine) ring.stop_consuming();
      ring.state.store(is_empty ? RingState::kSpare : RingState::kRetired,
                       std::memory_order_release);
      continue;
    }
    if (state != RingState::kOwned || ring.overwrites()) continue;
    const uint64_t used = ring.head() - ring.tail();
    if (ring.drained_ns == 0) ring.drained_ns = now;
    if (!ring.is_worth_draining(used) && (used == 0 || now - ring.drained_ns < kMaxAgeNs)) continue;
    if (!ring.try_consume()) continue;
    // No more than was there: to follow the thread record by record is a system call each time.
    session.spool.empty(ring, used);
    ring.stop_consuming();
    ring.drained_ns = now;
  }
}

void Drainer::wake() noexcept {
  work_.fetch_add(1, std::memory_order_seq_cst);
  if (is_asleep_.load(std::memory_order_seq_cst)) futex(work_, FUTEX_WAKE, 1, nullptr);
}

void Drainer::request_end() noexcept {
  must_end_.store(true, std::memory_order_release);
  work_.fetch_add(1, std::memory_order_seq_cst);
  futex(work_, FUTEX_WAKE, 1, nullptr);
}

void Drainer::sleep(uint32_t seen, int64_t nanoseconds) noexcept {
  const timespec timeout{0, static_cast<long>(nanoseconds)};
  is_asleep_.store(true, std::memory_order_seq_cst);
  if (!must_end_.load(std::memory_order_seq_cst)) futex(work_, FUTEX_WAIT, seen, &timeout);
  is_asleep_.store(false, std::memory_order_seq_cst);
}

bool Drainer::is_last_thread() noexcept {
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  const bool looks_often = is_main_gone_.load(std::memory_order_relaxed);
  if (!looks_often && now - looked_for_last_ns_ < 1000 * kMillisecond) return false;
  looked_for_last_ns_ = now;
  // "PID (NAME) STATE ..." where NAME may hold anything; field 20 is the number of threads, and
  // a main thread that has left stays in it as a zombie.
  char stat[1024];
  if (read_small_file("/proc/self/stat", stat, sizeof stat) <= 0) return false;
  const char* at = std::strrchr(stat, ')');
  if (!at || at[1] != ' ' || at[2] != 'Z') return false;
  at += 2;
  for (int field = 3; field < 20; ++field) {
    at = std::strchr(at, ' ');
    if (!at) return false;
    ++at;
  }
  return std::strtol(at, nullptr, 10) == 2;
}

void refresh_thread_name(Session& session, Ring& ring) noexcept {
  if (ring.is_named_by_program()) return;
  FixedText<64> path;
  path << "/proc/self/task/" << uint64_t{ring.info().tid} << "/comm";
  char name[32];
  if (read_small_file(path.c_str(), name, sizeof name) <= 0) return;
  name[std::strcspn(name, "\n")] = '\0';
  if (std::strcmp(name, session.process_name) != 0)
    ring.set_name(session.names.intern(name, std::strlen(name)), false);
}

void Drainer::empty_ring_at_end(Session& session, Ring& ring, bool is_last_look) noexcept {
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kConsumerPatienceNs;
  // A signal may have caught the owner inside its own flush; then the file of the ring keeps
  // what is in it, and the reader finds it there.
  while (!ring.try_consume()) {
    if (read_clock_ns(CLOCK_MONOTONIC) >= give_up_ns) return;
    sched_yield();
  }
  if (is_last_look)
    session.spool.empty_at_end(ring);
  else
    session.spool.empty(ring, UINT64_MAX);
  ring.stop_consuming();
}

void Drainer::end(Session& session) noexcept {
  session.spool.retry_now();
  const uint32_t count = session.pool.count();
  // Twice: a thread that was in the middle of a record when recording stopped has written it by
  // the second time.
  for (const bool is_last_look : {false, true}) {
    for (uint32_t i = 0; i < count; ++i) {
      Ring& ring = session.pool.ring(i);
      const RingState state = ring.state.load(std::memory_order_acquire);
      if (state != RingState::kOwned && state != RingState::kRetired) continue;
      heartbeat.fetch_add(1, std::memory_order_relaxed);
      if (state == RingState::kOwned && !is_last_look) refresh_thread_name(session, ring);
      empty_ring_at_end(session, ring, is_last_look);
    }
  }
  deliver(session);
}

}  // namespace perseid
