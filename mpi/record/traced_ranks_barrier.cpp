// mpi/record/traced_ranks_barrier.cpp: a barrier of two files, with a timeout.
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

constexpr int64_t kTimeoutNs = 2'000'000'000;
constexpr useconds_t kPauseUs = 1000;

bool has_bytes(const char* path, uint32_t expected) noexcept {
  struct stat found;
  return stat(path, &found) == 0 && found.st_size == static_cast<off_t>(expected);
}

}  // namespace

void TracedRanksBarrier::enter() noexcept {
  const JobEnvironment environment = read_job_environment();
  if (!environment.world[0]) return;
  const WriteGuard guard;
  char timeline[PATH_MAX];
  timeline_path(g_origin.settings.out, environment, g_origin.directory, timeline, nullptr, nullptr);
  PathText path;
  path << timeline;
  path.cut_to(static_cast<size_t>(std::strrchr(timeline, '/') - timeline));
  if (path.size() > 0 && !make_directories(path.c_str())) return;
  path << "/.perseid-clock-" << environment.world;
  if (path.is_cut()) return;
  const int file = open_quietly(path.c_str(), O_WRONLY | O_CREAT | O_APPEND);
  if (file < 0) return;
  const bool is_written = write_fully(file, "+", 1);
  close(file);
  if (!is_written) return;
  std::memcpy(arrivals_, path.c_str(), path.size() + 1);
  path << ".agreed";
  if (path.is_cut())
    arrivals_[0] = '\0';
  else
    std::memcpy(decision_, path.c_str(), path.size() + 1);
}

bool TracedRanksBarrier::wait(uint32_t expected, bool is_lowest) noexcept {
  if (!arrivals_[0]) return false;
  const int64_t begun_ns = read_clock_ns(CLOCK_MONOTONIC);
  for (;;) {
    char decision[8] = "";
    if (readlink(decision_, decision, sizeof decision) > 0) return decision[0] == 'g';
    const bool is_late = read_clock_ns(CLOCK_MONOTONIC) - begun_ns > kTimeoutNs;
    const bool is_complete = is_lowest && has_bytes(arrivals_, expected);
    if (is_complete || is_late) {
      if (symlink(is_complete ? "go" : "no", decision_) == 0) return is_complete;
      // Another rank was faster, or no rank can: then all of them time out.
      if (readlink(decision_, decision, sizeof decision) > 0) return decision[0] == 'g';
      if (is_late) return false;
    }
    usleep(kPauseUs);
  }
}

void TracedRanksBarrier::clear() noexcept {
  if (!arrivals_[0]) return;
  unlink(arrivals_);
  unlink(decision_);
  arrivals_[0] = '\0';
}

}  // namespace perseid::mpi
