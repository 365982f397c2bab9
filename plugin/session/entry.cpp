// plugin/session/entry.cpp: load and unload of the library; all entry points lead here.
#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include "plugin/record/emit.h"
#include "plugin/session/connect.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/drainer.h"
#include "plugin/session/message.h"
#include "plugin/session/session.h"
#include "plugin/settings/job_environment.h"
#include "plugin/settings/rank_selection.h"
#include "plugin/settings/run_registry.h"
#include "plugin/settings/text_buffer.h"

namespace perseid {

namespace {

/// Runs when a thread that has a ring ends.
void leave_session(void* argument) noexcept {
  const SystemCallGuard guard;
  const InsideGuard inside;
  auto& ring = *static_cast<Ring*>(argument);
  if (t_ring != &ring) return;
  t_ring = nullptr;
  Session& s = session();
  if (s.state.load() != SessionState::kOn || !is_own_session(s)) return;
  char name[17] = "";
  prctl(PR_GET_NAME, name);
  set_thread_name(s, ring, name);
  const bool is_main = ring.info().tid == s.pid;
  s.pool.retire(ring);
  if (is_main) s.last_thread.look_often(s);
  s.drainer.wake();
}

/// The switch gets a page of its own that reads as zero in every child.
bool make_switch() noexcept {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* at = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  madvise(at, page, MADV_WIPEONFORK);
  g_switch = new (at) Switch{};
  return true;
}

void keep_own_path(char (&path)[PATH_MAX]) noexcept {
  Dl_info facts;
  path[0] = '\0';
  if (dladdr(reinterpret_cast<void*>(&keep_own_path), &facts) && facts.dli_fname)
    TextBuffer(path).add(facts.dli_fname);
}

/// OpenMP's own variable for tools is a list of libraries.
bool is_listed(const char* libraries, const char* own_path) noexcept {
  const auto file_name = [](std::string_view path) {
    return path.substr(path.find_last_of('/') + 1);
  };
  std::string_view rest = libraries ? libraries : "";
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (file_name(rest.substr(0, end)) == file_name(own_path)) return true;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return false;
}

struct Problems {
  char sentences[4][512];
  uint32_t count = 0;
};

/// Printed only once it is known where messages go.
void keep_problem(void* context, const char* sentence) noexcept {
  auto& problems = *static_cast<Problems*>(context);
  if (problems.count < 4) TextBuffer(problems.sentences[problems.count++]).add(sentence);
}

/// What look_at_switch() works with. Not on a stack: a thread that starts a runtime may have
/// little.
struct Reading {
  Settings settings;
  Problems problems;
  char own_path[PATH_MAX];
};
constinit Reading g_reading{};
constinit std::atomic<bool> g_is_reading{false};

/// False if the switch is off. A privileged program (set-user-id, capabilities) takes no orders
/// from the environment: files would be made with its rights.
bool read_switch(Reading& reading) noexcept {
  const char* starpu = secure_getenv("STARPU_TRACE_PLUGIN");
  const char* own = secure_getenv("PERSEID");
  const char* openmp_tools = secure_getenv("OMP_TOOL_LIBRARIES");
  if (!starpu && !own && !openmp_tools) return false;
  keep_own_path(reading.own_path);
  reading.settings = Settings{};
  reading.problems.count = 0;
  if (!starpu && !own) return is_listed(openmp_tools, reading.own_path);
  read_settings(starpu, own, reading.own_path, reading.settings, keep_problem, &reading.problems);
  return reading.settings.is_on;
}

void keep_command(char (&command)[4096]) noexcept {
  const long length = read_small_file("/proc/self/cmdline", command, sizeof command);
  for (long i = 0; i + 1 < length; ++i)
    if (command[i] == '\0') command[i] = ' ';
  if (length <= 0) command[0] = '\0';
}

void keep_origin() noexcept {
  if (!getcwd(g_origin.directory, sizeof g_origin.directory))
    TextBuffer(g_origin.directory).add("/");
  if (const char* registry = secure_getenv(kRunRegistryVariable))
    TextBuffer(g_origin.run_registry).add(registry);
  keep_command(g_origin.command);
  sched_getaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
}

/// From a switch that is on to a library that is armed.
void switch_on(const Reading& reading) noexcept {
  const RankInJob place = read_rank_in_job();
  const Settings& settings = reading.settings;
  if (place.rank >= 0 && !selects_rank(settings.ranks, static_cast<uint32_t>(place.rank))) return;
  const bool speaks = is_reporting_rank(place, settings.ranks);
  direct_messages(settings.log, settings.quiet || !speaks);
  for (uint32_t i = 0; speaks && i < reading.problems.count; ++i)
    warn(reading.problems.sentences[i]);

  if (pthread_key_create(&g_origin.thread_key, leave_session) != 0 || !make_switch()) {
    g_origin.look_at_switch = nullptr;
    return warn("no trace: the process has no thread-specific key or memory left");
  }
  g_origin.settings = settings;
  keep_origin();
  pthread_atfork(nullptr, nullptr, begin_anew_after_fork);
  std::at_quick_exit([] { end_session(0); });
  if (!choose_clock(settings.clock))
    warn("clock=tsc: this CPU's time stamp counter is not invariant; using CLOCK_MONOTONIC");
  if (place.rank >= 0) set_test_clock(static_cast<uint32_t>(place.rank));
  g_origin.settings.is_on = true;
  arm();
  connect_programs();
}

/// Called at load, and until the switch is on whenever a runtime starts.
void look_at_switch() noexcept {
  const SystemCallGuard guard;
  while (g_is_reading.exchange(true, std::memory_order_acquire)) sched_yield();
  if (!g_origin.settings.is_on && read_switch(g_reading)) switch_on(g_reading);
  g_is_reading.store(false, std::memory_order_release);
}

[[gnu::constructor]] void enter() noexcept {
  const SystemCallGuard guard;
  remember_stderr();
  g_origin.look_at_switch = look_at_switch;
  look_at_switch();
}

[[gnu::destructor]] void leave() noexcept {
  if (g_origin.settings.is_on) end_session(0);
}

}  // namespace
}  // namespace perseid
