// plugin/session/drainer.h: the background thread that does all work on files: rings -> spool,
// anchors, spare rings, room for names, the end.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "plugin/record/clock.h"
#include "plugin/record/futex.h"
#include "plugin/session/cpu_sampler.h"

namespace perseid {

class Ring;
struct Session;

class Drainer {
 public:
  /// Starts the thread with all signals blocked, on any CPU that the process may use and with
  /// ordinary priority, whatever the calling thread is bound to. It opens the session first: the
  /// caller's stack may be small. 0 or an errno.
  int start(Session& session) noexcept;

  /// A ring is filling or a thread has ended. A system call only if the drainer sleeps.
  void wake() noexcept;
  /// The next turn is the last: the session's end is the drainer's work.
  void request_end() noexcept;

  /// Sleeps until `is_over`, asked after each turn of the drainer that changed something. False if
  /// that took too long. For what the drainer alone may do; not on the drainer itself.
  template <class Condition>
  bool wait_for(Condition is_over) noexcept {
    const int64_t give_up_ns = read_clock_ns(CLOCK_MONOTONIC) + kTimeoutNs;
    for (;;) {
      const uint32_t seen = news_.load(std::memory_order_seq_cst);
      if (is_over()) return true;
      if (read_clock_ns(CLOCK_MONOTONIC) > give_up_ns) return false;
      wake();
      futex_wait(news_, seen, kMaxSleepNs);
    }
  }

  bool is_this_thread() const noexcept;
  /// The session's last turn, on this thread: whatever is in a ring goes to the spool, owned or
  /// not, and then to the user.
  void end(Session& session) noexcept;
  /// Grows while the drainer gets anywhere; a waiter gives up when it stops growing.
  std::atomic<uint64_t> heartbeat{0};

 private:
  static void* run(void* session) noexcept;
  void loop(Session& session) noexcept;
  void do_errands(Session& session) noexcept;
  void drain_rings(Session& session) noexcept;
  void look_after(Session& session, Ring& ring, int64_t now_ns) noexcept;
  /// Not at all if there was a wake() since work_ was `seen`.
  void sleep(uint32_t seen, int64_t nanoseconds) noexcept;

  static constexpr int64_t kTimeoutNs = 10'000'000'000;
  static constexpr int64_t kMaxSleepNs = 100'000'000;

  std::atomic<uint32_t> work_{0};  // futex: grows when there is something to do
  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> must_end_{false};
  std::atomic<uint32_t> news_{0};  // futex: grows when an errand of other threads is done
  std::atomic<pid_t> tid_{0};
  CpuSampler cpu_sampler_;
  int64_t swept_ns_ = 0;  // when all rings were looked at
};

/// A name that pthread_setname_np gave the thread after its first event.
void set_thread_name(Session& session, Ring& ring, const char* name) noexcept;

/// Detached, with all signals blocked. 0 or an errno.
int start_hidden_thread(void* (*run)(void*), void* argument) noexcept;

}  // namespace perseid
