// tools/perseid/ring_removal.cpp: a ring is deleted only if its header carries the session of the
// capture.
#include "tools/perseid/ring_removal.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "capture/format.h"

namespace perseid {
namespace {

constexpr std::string_view kShm = "/dev/shm/";

bool is_ring_name(std::string_view name) {
  constexpr std::string_view kSuffix = kRingSuffix;
  if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) return false;
  name.remove_suffix(kSuffix.size());
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// The names are read before the first is removed: a directory must not change under readdir.
std::vector<std::string> ring_names(int directory) {
  std::vector<std::string> names;
  const int copy = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const listing = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (listing == nullptr) return names;
  while (const dirent* const entry = ::readdir(listing)) {
    if (is_ring_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  ::closedir(listing);
  return names;
}

struct FoundRing {
  ino_t inode = 0;         // 0: not a ring of that session
  bool is_unmade = false;  // its recorder was killed before the header was written
};

FoundRing find_ring(int directory, const std::string& name, uint64_t session) {
  const int fd = ::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {};
  struct stat status {};
  uint64_t magic = 0;
  uint64_t found = 0;
  const bool is_file = ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  const bool is_read =
      is_file && ::pread(fd, &magic, sizeof magic, offsetof(RingHeader, magic)) == sizeof magic &&
      ::pread(fd, &found, sizeof found, offsetof(RingHeader, session)) == sizeof found;
  ::close(fd);
  if (!is_file) return {};
  if (status.st_size == 0 || (is_read && magic == 0 && found == 0)) return {status.st_ino, true};
  // The magic is 0 while a ring gets another owner.
  const bool is_ring = is_read && (magic == kRingMagic || magic == 0) && found == session;
  return {is_ring ? status.st_ino : 0, false};
}

bool has_mapped(uint64_t pid, ino_t inode) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    std::string range, access, offset, device;
    ino_t found = 0;
    if (fields >> range >> access >> offset >> device >> found && found == inode) return true;
  }
  return false;
}

/// "perseid-UID-PID-SESSION" -> PID; 0: not such a name.
uint64_t pid_in(std::string_view name, uint64_t session) {
  constexpr std::string_view kPrefix = "perseid-";
  const std::string suffix = fmt::format("-{:016x}", session);
  if (!name.starts_with(kPrefix) || !name.ends_with(suffix)) return 0;
  if (name.size() < kPrefix.size() + suffix.size()) return 0;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(suffix.size());
  const auto is_digit_or_dash = [](char c) { return (c >= '0' && c <= '9') || c == '-'; };
  const size_t dash = name.find('-');
  if (dash == std::string_view::npos || !std::ranges::all_of(name, is_digit_or_dash)) return 0;
  uint64_t pid = 0;
  std::from_chars(name.data() + dash + 1, name.data() + name.size(), pid);
  return pid;
}

}  // namespace

void remove_rings_in(int directory, uint64_t session) {
  for (const std::string& name : ring_names(directory)) {
    if (find_ring(directory, name, session).inode != 0) ::unlinkat(directory, name.c_str(), 0);
  }
}

void remove_rings_elsewhere(const Manifest& manifest, uid_t capture_owner) {
  const std::string path(manifest.get("rings"));
  const uint64_t session = manifest.get_number("session", 16);
  if (!path.starts_with(kShm) || session == 0) return;
  const uint64_t pid = pid_in(std::string_view(path).substr(kShm.size()), session);
  if (pid == 0) return;
  const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory < 0) return;
  struct stat status {};
  const bool is_ours = ::fstat(directory, &status) == 0 &&
                       (status.st_uid == ::geteuid() || status.st_uid == capture_owner);
  const std::vector<std::string> names =
      is_ours ? ring_names(directory) : std::vector<std::string>();
  // The name of a session is public: a capture may claim the rings of one that lives.
  const bool is_in_use = std::ranges::any_of(names, [&](const std::string& name) {
    const FoundRing ring = find_ring(directory, name, session);
    // One that is being made is not mapped yet.
    if (ring.is_unmade) return ::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM;
    return ring.inode != 0 && has_mapped(pid, ring.inode);
  });
  if (is_ours && !is_in_use) remove_rings_in(directory, session);
  ::close(directory);
  if (is_ours && !is_in_use) ::rmdir(path.c_str());
}

}  // namespace perseid
