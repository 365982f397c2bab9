// capture/recorder_life.cpp: checks the recorded end, the lock, and the identity of the process.
#include "capture/recorder_life.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <fstream>
#include <iterator>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/process_stat.h"
#include "capture/unmade.h"

namespace perseid {
namespace {

constexpr size_t kMaxManifestBytes = 1 << 20;

enum class Lock { kFree, kHeld, kUnknown };

Lock recorder_lock(const std::string& capture) {
  const int fd =
      ::open((capture + "/" + kStateFile).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  // Killed before the state was made: no process can hold a lock on it.
  if (fd < 0) return errno == ENOENT ? Lock::kFree : Lock::kUnknown;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool is_answered = ::fcntl(fd, F_GETLK, &lock) == 0;
  ::close(fd);
  if (!is_answered) return Lock::kUnknown;
  return lock.l_type == F_UNLCK ? Lock::kFree : Lock::kHeld;
}

/// The first line. /proc has no sizes, so that File reads nothing there.
std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

bool is_of_this_boot_and_namespace(const Manifest& manifest) {
  struct stat space {};
  return manifest.get("boot_id") == line_of("/proc/sys/kernel/random/boot_id") &&
         ::stat("/proc/self/ns/pid", &space) == 0 &&
         manifest.get_number("pid_namespace") == space.st_ino;
}

/// Between the directory and its manifest a recorder stays for microseconds, wherever it runs.
RecorderLife life_of_unmade(const std::string& capture) {
  constexpr time_t kMomentSeconds = 60;
  struct stat status {};
  const bool is_old = ::stat(capture.c_str(), &status) == 0 &&
                      status.st_mtim.tv_sec + kMomentSeconds < ::time(nullptr);
  return is_old ? RecorderLife::kGone : RecorderLife::kUnknown;
}

/// /proc may hide processes of others: then only the kernel's word that there is none counts.
bool is_process_gone(uint32_t pid, uint64_t start_ticks) {
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return true;
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const ProcessStat found = parse_process_stat(text.c_str());
  return found.state != 0 && (found.start_ticks != start_ticks || found.is_dead());
}

}  // namespace

RecorderLife recorder_life(const std::string& capture, const Manifest& manifest,
                           const RecordedState& state) {
  if (state.end != SessionEnd::kRunning) return RecorderLife::kEnded;
  const Lock lock = recorder_lock(capture);
  if (lock == Lock::kHeld) return RecorderLife::kAlive;
  if (is_unmade(capture)) return life_of_unmade(capture);
  const uint64_t start_ticks = manifest.get_number("start_time");
  const uint64_t pid = state.pid != 0 ? state.pid : manifest.get_number("pid");
  if (lock == Lock::kUnknown || pid == 0 || start_ticks == 0 || !manifest.problem.empty() ||
      !is_of_this_boot_and_namespace(manifest)) {
    return RecorderLife::kUnknown;
  }
  return is_process_gone(static_cast<uint32_t>(pid), start_ticks) ? RecorderLife::kGone
                                                                  : RecorderLife::kAlive;
}

RecorderLife recorder_life(const std::string& capture) {
  const File manifest(capture + "/" + kManifestFile);
  return recorder_life(capture, parse_manifest(manifest.read_text(kMaxManifestBytes)),
                       read_state(File(capture + "/" + kStateFile)));
}

}  // namespace perseid
