// plugin/session/drainer.cpp: the loop of the background thread, from start to the last drain.
#include "plugin/session/drainer.h"

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "plugin/record/emit.h"
#include "plugin/record/modules.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/own_descriptors.h"
#include "plugin/session/session.h"
#include "plugin/session/topology_writer.h"
#include "plugin/settings/fixed_text.h"

namespace perseid {

namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kTurnNs = 100 * kMillisecond;
/// Records older than this go to disk even from a nearly empty ring: /dev/shm may be wiped when
/// a batch job ends, the capture's directory is not.
constexpr int64_t kMaxAgeNs = 2000 * kMillisecond;
constexpr int64_t kOwnerTimeoutNs = 100 * kMillisecond;
constexpr size_t kStackBytes = 1024 * 1024;  // the timeline is written on it, too
constexpr size_t kMaxStackBytes = size_t{4} << 30;

/// The C library takes the thread-local data of the program and its libraries out of a thread's
/// stack. Those of libraries that were loaded late are somewhere else, and counted anyway.
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

pid_t this_thread() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

}  // namespace

int start_hidden_thread(void* (*run)(void*), void* argument) noexcept {
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
    error = pthread_create(&thread, &attributes, run, argument);
  }
  pthread_sigmask(SIG_SETMASK, &kept, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

int Drainer::start(Session& session) noexcept { return start_hidden_thread(run, &session); }

void* Drainer::run(void* argument) noexcept {
  auto& session = *static_cast<Session*>(argument);
  t_word.inside = 1;  // nothing this thread does is the program's doing
  const Unwatched unwatched;
  prctl(PR_SET_NAME, "perseid");
  sched_setaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
  const sched_param ordinary{};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  session.drainer.tid_.store(this_thread(), std::memory_order_release);
  // Where the kernel refuses, every descriptor is looked at before it is used.
  (void)take_own_descriptors();
  if (!open_session(session)) return nullptr;
  write_topology(session.directory);
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
    session.state_file.mirror_counts();
    drain_rings(session);
    session.pool.top_up();
    cpu_sampler_.sample_in_turn(session, this_thread());
    do_errands(session);
    session.spool.bound_page_cache(!session.pool.is_any_asking());
    if (!session.pool.has_unmet_want()) sleep(seen, kTurnNs);
  }
  end(session);
}

/// What other threads wait for.
void Drainer::do_errands(Session& session) noexcept {
  const bool has_grown = session.names.grow_ahead();
  const bool has_written = g_modules.write_lines(session.directory);
  if (!has_grown && !has_written) return;
  news_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(news_);
}

/// Rings that ask come at once; all of them in turns, for records that grow old.
void Drainer::drain_rings(Session& session) noexcept {
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
  heartbeat.fetch_add(1, std::memory_order_relaxed);
  session.pool.for_each_asking([&](Ring& ring) noexcept { look_after(session, ring, now); });
  if (now - swept_ns_ < kTurnNs) return;
  swept_ns_ = now;
  const uint32_t count = session.pool.count();
  for (uint32_t i = 0; i < count; ++i) look_after(session, session.pool.ring(i), now);
}

void Drainer::look_after(Session& session, Ring& ring, int64_t now_ns) noexcept {
  RingState state = ring.state.load(std::memory_order_acquire);
  if (ring.overwrites()) return;  // it keeps its records until the end, or until it is given up
  if (state == RingState::kRetired) {
    // kMaking while we work on it: a new thread must not take it half drained.
    ring.state.store(RingState::kMaking, std::memory_order_relaxed);
    if (session.spool.empty_retired(ring))
      session.pool.put_back(ring);
    else
      ring.state.store(RingState::kRetired, std::memory_order_release);
    return;
  }
  if (state != RingState::kOwned) return;
  const uint64_t used = ring.head() - ring.tail();
  if (ring.drained_ns == 0) ring.drained_ns = now_ns;
  if (!ring.is_worth_draining(used) && (used == 0 || now_ns - ring.drained_ns < kMaxAgeNs)) return;
  // No more than was there: to follow the thread record by record is a system call each time.
  if (!session.spool.empty(ring, used)) ring.wake_owner();
  ring.drained_ns = now_ns;
}

void Drainer::wake() noexcept {
  work_.fetch_add(1, std::memory_order_seq_cst);
  if (is_asleep_.load(std::memory_order_seq_cst)) futex_wake(work_, 1);
}

void Drainer::request_end() noexcept {
  must_end_.store(true, std::memory_order_release);
  work_.fetch_add(1, std::memory_order_seq_cst);
  futex_wake(work_, 1);
}

void Drainer::sleep(uint32_t seen, int64_t nanoseconds) noexcept {
  is_asleep_.store(true, std::memory_order_seq_cst);
  if (!must_end_.load(std::memory_order_seq_cst)) futex_wait(work_, seen, nanoseconds);
  is_asleep_.store(false, std::memory_order_seq_cst);
}

void set_thread_name(Session& session, Ring& ring, const char* name) noexcept {
  if (!ring.is_named_by_program() && std::strcmp(name, session.process_name) != 0)
    ring.set_name(session.names.intern(name, std::strlen(name)), false);
}

namespace {

void refresh_thread_name(Session& session, Ring& ring) noexcept {
  FixedText<64> path;
  path << "/proc/self/task/" << uint64_t{ring.info().tid} << "/comm";
  char name[32];
  if (read_small_file(path.c_str(), name, sizeof name) <= 0) return;
  name[std::strcspn(name, "\n")] = '\0';
  set_thread_name(session, ring, name);
}

/// A thread that waited for room has it now, and writes the record it wanted room for.
void let_waiting_owners_finish(Session& session) noexcept {
  const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kOwnerTimeoutNs;
  const uint32_t count = session.pool.count();
  for (uint32_t i = 0; i < count; ++i) {
    const Ring& ring = session.pool.ring(i);
    if (!ring.is_owner_waiting()) continue;
    while (ring.is_owner_waiting() && read_clock_ns(CLOCK_MONOTONIC) < give_up_ns) sched_yield();
    const timespec moment{0, kMillisecond};
    nanosleep(&moment, nullptr);
  }
}

}  // namespace

void Drainer::end(Session& session) noexcept {
  session.spool.retry_now();
  session.pool.wake_takers();
  do_errands(session);
  if (!session.is_paused.load()) cpu_sampler_.sample(session, this_thread());
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
      if (is_last_look)
        session.spool.empty_at_end(ring);
      else
        session.spool.empty(ring, UINT64_MAX);
    }
    do_errands(session);
    if (!is_last_look) let_waiting_owners_finish(session);
  }
  deliver(session);
}

}  // namespace perseid
