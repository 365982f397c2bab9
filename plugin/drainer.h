// plugin/drainer.h: the one background thread: rings -> spool, anchors, spare rings, the end.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

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
  /// Main has left by pthread_exit: from now on look often whether we are the last thread.
  void expect_last_thread() noexcept { is_main_gone_.store(true, std::memory_order_relaxed); }

  bool is_this_thread() const noexcept;
  /// The session's last turn, on this thread: whatever is in a ring goes to the spool, owned or
  /// not, and then to the user.
  void end(Session& session) noexcept;
  /// Grows while the drainer gets anywhere; a waiter gives up when it stands still.
  std::atomic<uint64_t> heartbeat{0};

 private:
  static void* run(void* session) noexcept;
  void loop(Session& session) noexcept;
  void drain_rings(Session& session) noexcept;
  void empty_ring_at_end(Session& session, Ring& ring, bool is_last_look) noexcept;
  /// Not at all if there was a wake() since work_ was `seen`.
  void sleep(uint32_t seen, int64_t nanoseconds) noexcept;
  bool is_last_thread() noexcept;

  std::atomic<uint32_t> work_{0};  // futex: grows when there is something to do
  std::atomic<bool> is_asleep_{false};
  std::atomic<bool> must_end_{false};
  std::atomic<bool> is_main_gone_{false};
  std::atomic<pid_t> tid_{0};
  int64_t looked_for_last_ns_ = 0;
};

/// A name that pthread_setname_np gave the thread after its first event.
void refresh_thread_name(Session& session, Ring& ring) noexcept;

}  // namespace perseid
