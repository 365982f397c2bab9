// plugin/session/session.cpp: start, end and restart after fork of the one session of a process.
#include "plugin/session/session.h"

#include <linux/futex.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "plugin/record/emit.h"
#include "plugin/record/modules.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/manifest_writer.h"
#include "plugin/session/message.h"
#include "plugin/session/producers.h"
#include "plugin/session/signals.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/out_pattern.h"
#include "plugin/settings/run_registry.h"

namespace perseid {

namespace {

constexpr int64_t kTimeoutNs = 30'000'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;

/// Bytes instead of an object: no destructor ever runs for it.
alignas(Session) constinit std::byte g_session_bytes[sizeof(Session)]{};

void report_problem(void*, const char* sentence) noexcept { warn(sentence); }

bool cannot_start(const char* what, const char* name) noexcept {
  const int error = errno;
  Line line;
  line << "no trace: cannot " << what << ' ' << name << ": ";
  line.append_error(error) << (error == ENOMEM
                                   ? "; raise the address space limit (ulimit -v)"
                                   : "; set dir= to a writable directory with free space");
  if (!run_registry::report_failure(g_origin.run_registry, line.c_str())) warn(line.c_str());
  return false;
}

/// The capture's directory, with a number if the name is taken.
bool make_capture_directory(Session& s) noexcept {
  PathText parent;
  parent << s.capture;
  const char* slash = std::strrchr(parent.c_str(), '/');
  parent.cut_to(static_cast<size_t>(slash - parent.c_str()));
  if (parent.size() > 0 && !make_directories(parent.c_str())) return false;

  PathText stem;
  stem << s.capture;
  stem.cut_to(stem.size() - std::strlen(kCaptureSuffix));
  constexpr uint64_t kMaxTries = 100'000;
  for (uint64_t number = 1; !s.directory.make(s.capture); ++number) {
    if (errno != EEXIST || number == kMaxTries) return false;
    PathText name;
    name << stem.c_str() << '.' << number << kCaptureSuffix;
    std::memcpy(s.capture, name.c_str(), name.size() + 1);
  }
  return true;
}

/// /dev/shm if it has room for some rings: there no write-back disturbs the owner of a ring. The
/// directory is made later: the manifest must name it first.
void choose_ring_directory(Session& s) noexcept {
  const Settings& settings = g_origin.settings;
  constexpr char kShm[] = "/dev/shm";
  constexpr uint64_t kRingsWanted = 8;
  std::memcpy(s.rings, s.capture, sizeof s.rings);
  if (settings.rings == RingPlace::kCapture) return;
  struct statvfs facts;
  const bool has_room =
      statvfs(kShm, &facts) == 0 &&
      facts.f_bavail * facts.f_frsize >= kRingsWanted * (settings.ring_bytes + kRingHeaderBytes);
  if (!has_room) return;
  PathText path;
  path << kShm << "/perseid-" << uint64_t{getuid()} << '-' << uint64_t{s.pid} << '-';
  path.append_hex(s.id, 16);
  std::memcpy(s.rings, path.c_str(), path.size() + 1);
}

/// False if the manifest, which has to name another place for the rings, cannot be written.
bool make_ring_directory(Session& s) noexcept {
  const bool is_elsewhere = std::strcmp(s.rings, s.capture) != 0;
  if (is_elsewhere && s.ring_directory.make(s.rings)) return true;
  if (g_origin.settings.rings == RingPlace::kShm) {
    Line line;
    line << "rings=shm: no space for rings in /dev/shm; using " << s.capture;
    warn(line.c_str());
  }
  if (!is_elsewhere) return true;
  std::memcpy(s.rings, s.capture, sizeof s.rings);
  s.directory.remove_file(kManifestFile);
  return write_manifest(s);
}

/// The strings file needs room: the drainer gives it, and everybody else waits for that.
bool ask_for_room_for_names(uint64_t bytes) noexcept {
  const SystemCallGuard guard;
  Session& s = session();
  if (s.drainer.is_this_thread()) return s.names.grow(bytes);
  s.names.want(bytes);
  s.drainer.wait_for([&] {
    return s.names.has(bytes) || s.names.is_full() || s.state.load() != SessionState::kOn;
  });
  return s.names.has(bytes);
}

bool make_files(Session& s) noexcept {
  const auto cannot_create = [&s](const char* name) {
    PathText path;
    path << s.capture << '/' << name;
    return cannot_start("create", path.c_str());
  };
  // The manifest comes first: whatever is killed from here on leaves a capture that can be read,
  // and removed with its rings.
  choose_ring_directory(s);
  if (!write_manifest(s)) return cannot_create(kManifestFile);
  if (g_origin.run_registry[0]) run_registry::announce(g_origin.run_registry, s.capture);
  if (!make_ring_directory(s)) return cannot_create(kManifestFile);
  if (!s.state_file.open(s.directory, s.id, s.pid)) return cannot_create(kStateFile);
  PathText state;
  state << s.capture << '/' << kStateFile;
  s.recorder_lock.hold(state.c_str());
  // Two anchors at once: a run that is killed right now still has a rate of its clock.
  s.state_file.add(s.armed_at);
  s.state_file.anchor(true);
  if (!s.names.open(s.directory, s.id, s.state_file, ask_for_room_for_names))
    return cannot_create(kStringsFile);
  if (!s.spool.open(s.directory, s.id, s.state_file)) return cannot_create(kSpoolFile);
  RingPlan plan{};
  plan.directory = s.ring_directory.is_open() ? &s.ring_directory : &s.directory;
  plan.capture = &s.directory;
  plan.session = s.id;
  plan.ring_bytes = g_origin.settings.ring_bytes;
  plan.memory_bytes = g_origin.settings.memory_bytes;
  plan.on_full = g_origin.settings.on_full;
  plan.counters = &s.state_file;
  if (!s.pool.open(plan)) return cannot_start("map the rings of", s.capture);
  return true;
}

/// A session that never recorded anything leaves nothing, neither on disk nor in the
/// address space, which may be what was short.
void remove_files(Session& s) noexcept {
  for (const char* name : {kManifestFile, kStateFile, kStringsFile, kSpoolFile})
    s.directory.remove_file(name);
  if (s.ring_directory.is_open()) s.ring_directory.remove();
  s.directory.remove();
  s.ring_directory.close();
  s.directory.close();
  s.pool.close();
  s.spool.close();
  s.names.close();
  s.state_file.close();
  s.recorder_lock.release();
}

void name_files(Session& s) noexcept {
  const JobEnvironment environment = read_job_environment();
  const Settings& settings = g_origin.settings;
  timeline_path(settings.out, environment, g_origin.directory, s.out, report_problem, nullptr);
  capture_path(s.out, settings.dir, environment, g_origin.directory, s.capture, report_problem,
               nullptr);
}

bool make_capture(Session& s) noexcept {
  read_small_file("/proc/self/comm", s.process_name, sizeof s.process_name);
  s.process_name[std::strcspn(s.process_name, "\n")] = '\0';
  if (getrandom(&s.id, sizeof s.id, GRND_NONBLOCK) != sizeof s.id)
    s.id = static_cast<uint64_t>(read_clock_ns(CLOCK_REALTIME)) ^ uint64_t { s.pid } << 40;
  name_files(s);
  if (!make_capture_directory(s)) return cannot_start("create", s.capture);
  if (!make_files(s)) {
    remove_files(s);
    // `perseid run` knows the reason from the registry, and must not miss the capture.
    if (g_origin.run_registry[0]) run_registry::hand_over(g_origin.run_registry, s.capture);
    return false;
  }
  return true;
}

void wait_for_drainer(Session& s) noexcept {
  uint64_t heartbeat = s.drainer.heartbeat.load();
  int64_t moved_ns = read_clock_ns(CLOCK_MONOTONIC);
  while (s.state.load() == SessionState::kEnding) {
    wait_while(s, SessionState::kEnding, kSecondNs);
    const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
    if (s.drainer.heartbeat.load() != heartbeat) {
      heartbeat = s.drainer.heartbeat.load();
      moved_ns = now;
    } else if (now - moved_ns > kTimeoutNs) {
      Line line;
      line << "the export makes no progress; nothing is lost, the records are in " << s.capture
           << "; write the timeline later with: perseid export " << s.capture;
      warn(line.c_str());
      return;
    }
  }
}

void stop_producers(const Session& s) noexcept {
  const SessionState state = s.state.load();
  if (state != SessionState::kArmed && state != SessionState::kOn) return;
  for (const Producer& producer : producers()) {
    if (producer.stop) producer.stop();
  }
  for (const Producer& producer : producers()) {
    if (producer.explain) producer.explain(state == SessionState::kOn);
  }
}

}  // namespace

Session& session() noexcept { return *std::launder(reinterpret_cast<Session*>(g_session_bytes)); }

bool is_own_session(const Session& s) noexcept { return s.pid == static_cast<uint32_t>(getpid()); }

void arm() noexcept {
  g_modules.forget();
  Session* s = new (g_session_bytes) Session;
  s->pid = static_cast<uint32_t>(getpid());
  s->armed_at = take_anchor();
  s->is_paused.store(g_origin.settings.paused);
  s->state.store(SessionState::kArmed);
  for (const Producer& producer : producers()) {
    if (producer.start) producer.start();
  }
  g_switch->is_recording.store(g_origin.settings.paused ? 0 : 1);
}

void start_session(Session& s) noexcept {
  int error = s.last_thread.start(s);
  if (error == 0) error = s.drainer.start(s);
  if (error != 0) {
    Line line;
    line << "no trace: cannot start a thread: ";
    line.append_error(error);
    warn(line.c_str());
    set_state(s, SessionState::kDone);
    g_switch->is_recording.store(0);
    return;
  }
  while (s.state.load() == SessionState::kStarting)
    wait_while(s, SessionState::kStarting, kSecondNs);
  if (s.state.load() == SessionState::kOn) catch_end_signals();
}

bool open_session(Session& s) noexcept {
  const bool is_open = make_capture(s);
  if (!is_open) g_switch->is_recording.store(0);
  set_state(s, is_open ? SessionState::kOn : SessionState::kDone);
  return is_open;
}

void set_state(Session& s, SessionState state) noexcept {
  s.state.store(state);
  wake_state_waiters(s);
}

void wake_state_waiters(Session& s) noexcept {
  syscall(SYS_futex, &s.state, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, nullptr, nullptr, 0);
}

void wait_while(Session& s, SessionState state, int64_t at_most_ns) noexcept {
  const timespec timeout{at_most_ns / 1'000'000'000, at_most_ns % 1'000'000'000};
  syscall(SYS_futex, &s.state, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, static_cast<uint32_t>(state),
          &timeout, nullptr, 0);
}

void end_session(uint32_t signal) noexcept {
  const SystemCallGuard guard;
  Session& s = session();
  if (!is_own_session(s)) return;
  // Another thread's first event may be under way; a signal may have come in the middle of it.
  if (signal == 0)
    while (s.state.load() == SessionState::kStarting)
      wait_while(s, SessionState::kStarting, kSecondNs);
  if (signal == 0) stop_producers(s);
  SessionState seen = SessionState::kOn;
  if (!s.state.compare_exchange_strong(seen, SessionState::kEnding)) {
    if (seen == SessionState::kArmed && s.state.compare_exchange_strong(seen, SessionState::kDone))
      g_switch->is_recording.store(0);
    if (seen == SessionState::kEnding && !s.drainer.is_this_thread()) wait_for_drainer(s);
    return;
  }
  g_switch->is_recording.store(0);
  s.end_signal.store(signal);
  if (s.drainer.is_this_thread()) {
    s.drainer.end(s);
  } else {
    s.drainer.request_end();
    wait_for_drainer(s);
  }
}

void begin_anew_after_fork() noexcept {
  const SystemCallGuard guard;
  t_ring = nullptr;
  t_word.inside = 0;
  const Session& parent = session();
  const SessionState state = parent.state.load();
  const bool was_paused = parent.is_paused.load();
  parent.recorder_lock.forget_in_child();
  new (g_session_bytes) Session;
  const bool was_recording = state == SessionState::kArmed || state == SessionState::kStarting ||
                             state == SessionState::kOn;
  if (!was_recording || !g_origin.settings.follow_fork) return;
  arm();
  if (was_paused)
    pause_recording();
  else
    resume_recording();
}

bool pause_recording() noexcept {
  Session& s = session();
  if (!is_own_session(s) || s.is_paused.exchange(true)) return false;
  g_switch->is_recording.store(0);
  return true;
}

bool resume_recording() noexcept {
  Session& s = session();
  if (!is_own_session(s) || !s.is_paused.exchange(false)) return false;
  const SessionState state = s.state.load();
  if (state != SessionState::kArmed && state != SessionState::kOn) return false;
  g_switch->is_recording.store(1);
  const SessionState now = s.state.load();
  if (now == SessionState::kEnding || now == SessionState::kDone) {
    g_switch->is_recording.store(0);  // the session ended in between
    return false;
  }
  return true;
}

}  // namespace perseid
