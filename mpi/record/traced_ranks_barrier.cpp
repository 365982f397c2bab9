// mpi/record/traced_ranks_barrier.cpp: see agreement.h.
#include "mpi/record/traced_ranks_barrier.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "plugin/record/clock.h"
#include "plugin/record/host_guard.h"
#include "plugin/session/descriptor.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"
#include "plugin/settings/out_pattern.h"

namespace perseid::mpi {

namespace {

constexpr int64_t kPatienceNs = 2'000'000'000;
constexpr useconds_t kPauseUs = 1000;

bool has_bytes(const char* path, uint32_t expected) noexcept {
  struct stat facts;
  return stat(path, &facts) == 0 && facts.st_size == static_cast<off_t>(expected);
}

}  // namespace

void Agreement::join() noexcept {
  const PatternFacts facts = read_pattern_facts();
  if (!facts.world[0]) return;
  const WriteGuard guard;
  char timeline[PATH_MAX];
  timeline_path(g_origin.settings.out, facts, g_origin.directory, timeline, nullptr, nullptr);
  PathText path;
  path << timeline;
  path.cut_to(static_cast<size_t>(std::strrchr(timeline, '/') - timeline));
  if (path.size() > 0 && !make_directories(path.c_str())) return;
  path << "/.perseid-clock-" << facts.world;
  if (path.is_cut()) return;
  const int file = open_quietly(path.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  if (file < 0) return;
  const bool is_written = write_fully(file, "+", 1);
  close(file);
  if (!is_written) return;
  std::memcpy(roster_, path.c_str(), path.size() + 1);
  path << ".agreed";
  if (path.is_cut())
    roster_[0] = '\0';
  else
    std::memcpy(decision_, path.c_str(), path.size() + 1);
}

bool Agreement::reach(uint32_t expected, bool is_lowest) noexcept {
  if (!roster_[0]) return false;
  const int64_t begun_ns = read_clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    char decision[8] = "";
    if (readlink(decision_, decision, sizeof decision) > 0) return decision[0] == 'g';
    const bool is_late = read_clock_ns(CLOCK_MONOTONIC) - begun_ns > kPatienceNs;
    const bool is_complete = is_lowest && has_bytes(roster_, expected);
    if (is_complete || is_late) {
      if (symlink(is_complete ? "go" : "no", decision_) == 0) return is_complete;
      // Somebody was faster, or nobody can: then the others cannot either, and are late too.
      if (readlink(decision_, decision, sizeof decision) > 0) return decision[0] == 'g';
      if (is_late) return false;
    }
    usleep(kPauseUs);
  }
}

void Agreement::clear() noexcept {
  if (!roster_[0]) return;
  unlink(roster_);
  unlink(decision_);
  roster_[0] = '\0';
}

}  // namespace perseid::mpi
