// plugin/session/session.h: one recording of one process, whichever entry point started it.
//
//   off          the switch is unset: nothing of ours exists
//   armed        ready; the first event creates the files and the drainer
//   starting     a thread is doing that, others wait for it
//   on           recording
//   ending       the drainer empties the rings and writes the timeline
//   done         over; late callbacks find the switch off
#pragma once

#include <climits>
#include <cstdint>

#include "plugin/record/intern.h"
#include "plugin/record/ring_pool.h"
#include "plugin/session/drainer.h"
#include "plugin/session/last_thread.h"
#include "plugin/session/own_directory.h"
#include "plugin/session/recorder_lock.h"
#include "plugin/session/spool.h"
#include "plugin/session/state_file.h"
#include "plugin/settings/settings.h"

namespace perseid {

enum class SessionState : uint32_t { kOff, kArmed, kStarting, kOn, kEnding, kDone };

/// What the library found when it was loaded. Forked children share it.
struct Origin {
  Settings settings;
  char directory[PATH_MAX] = "";  // the working directory at that time
  char run_registry[PATH_MAX] = "";
  char command[4096] = "";  // as it was started: programs may overwrite their arguments
  pthread_key_t thread_key = 0;
  cpu_set_t cpus{};                             // what the process was allowed to run on
  void (*look_at_switch)() noexcept = nullptr;  // null where only parts of the library are
};
inline constinit Origin g_origin{};

/// Where a runtime starts: a program may set the switch in its own environment after it was loaded.
/// Arms the library then. Costs nothing once it is armed.
inline void look_at_switch_again() noexcept {
  if (!g_origin.settings.is_on && g_origin.look_at_switch) g_origin.look_at_switch();
}

/// Never destroyed: callbacks may come late. A forked child begins with a new one.
struct Session {
  std::atomic<SessionState> state{SessionState::kOff};
  std::atomic<uint32_t> end_signal{0};
  std::atomic<bool> is_paused{false};
  std::atomic<uint32_t> next_stream{1};
  uint64_t id = 0;
  uint32_t pid = 0;
  ClockAnchor armed_at{};
  char process_name[17] = "";  // also the name of threads that were never named
  char out[PATH_MAX] = "";
  char capture[PATH_MAX] = "";
  char rings[PATH_MAX] = "";
  OwnDirectory directory;       // the capture
  OwnDirectory ring_directory;  // not open: rings are in the capture
  StateFile state_file;
  RecorderLock recorder_lock;
  Names names;
  Spool spool;
  RingPool pool;
  Drainer drainer;
  LastThread last_thread;
};
Session& session() noexcept;

/// False in a child that fork handlers did not see (a raw system call, vfork): the session it
/// finds in its memory is its parent's.
bool is_own_session(const Session& session) noexcept;

/// Reads nothing, creates nothing on disk: from now on the first event starts the session.
void arm() noexcept;

/// Called by the first event: starts the drainer and waits until it has opened the session. The
/// state is then kOn, or kDone if recording is impossible and the reason has been printed.
void start_session(Session& session) noexcept;

/// Runs on the drainer: creates the capture and sets the state to kOn or kDone.
bool open_session(Session& session) noexcept;

/// Ends the session and waits until its timeline is written or handed over. Idempotent, from
/// any thread, async-signal-safe. `signal` is 0 for an ordinary end.
void end_session(uint32_t signal) noexcept;

/// In a forked child: everything of the parent is forgotten, nothing of it is touched.
void begin_anew_after_fork() noexcept;

/// Runs on the drainer when everything is in the spool: timeline, or the note how to get it.
void deliver(Session& session) noexcept;

/// Changes the state and wakes those who wait for it.
void set_state(Session& session, SessionState state) noexcept;
void wake_state_waiters(Session& session) noexcept;
/// Returns when the state has changed, after a wake-up, or after `at_most_ns`.
void wait_while(Session& session, SessionState state, int64_t at_most_ns) noexcept;

/// False if that is how it was already.
bool pause_recording() noexcept;
bool resume_recording() noexcept;

}  // namespace perseid
