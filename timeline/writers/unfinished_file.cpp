// timeline/writers/unfinished_file.cpp: a file without a name, or with a hidden one, until it is
// whole.
#include "timeline/writers/unfinished_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

namespace perseid {
namespace {

constexpr std::string_view kSuffix = ".partial";
constexpr int kMaxTries = 100;
constexpr mode_t kMode = 0666;

/// False also where the file system has no locks.
bool lock(int fd) {
  struct flock whole = {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

bool is_linked(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && status.st_nlink > 0;
}

uint64_t random_number() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_nsec) << 32 ^ static_cast<uint64_t>(now.tv_sec) ^
         static_cast<uint64_t>(::getpid()) << 20;
}

/// Removes what killed writers of this name left: files of our own that nobody locks.
void remove_abandoned(const std::string& directory, const std::string& name) {
  DIR* const listing = ::opendir(directory.c_str());
  if (listing == nullptr) return;
  const std::string prefix = fmt::format(".{}.", name);
  while (const dirent* const entry = ::readdir(listing)) {
    const std::string_view found = entry->d_name;
    if (!found.starts_with(prefix) || !found.ends_with(kSuffix)) continue;
    const int fd = ::openat(::dirfd(listing), entry->d_name,
                            O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) continue;
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        lock(fd)) {
      ::unlinkat(::dirfd(listing), entry->d_name, 0);
    }
    ::close(fd);
  }
  ::closedir(listing);
}

/// Moves a named file without replacing. 0, or an errno.
int move_to_free_name(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno == EEXIST) return EEXIST;
  // Some file systems know no links, and some no RENAME_NOREPLACE.
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno == EEXIST) return EEXIST;
  const int placeholder = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (placeholder < 0) return errno;
  ::close(placeholder);
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int error = errno;
  ::unlink(to.c_str());
  return error;
}

/// Of this thread: the one that exports inside a program has descriptors of its own, and the same
/// number means another file in the rest of the process.
std::string name_in_proc(int fd) { return fmt::format("/proc/thread-self/fd/{}", fd); }

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path, Kind kind) {
  const size_t slash = path.find_last_of('/');
  const size_t name = slash == std::string::npos ? 0 : slash + 1;
  const std::string directory = name == 0 ? "./" : path.substr(0, name);
  if (kind == Kind::kNamelessIfPossible && open_nameless(directory)) return;
  open_named(directory, path.substr(name));
}

bool UnfinishedFile::open_nameless(const std::string& directory) {
  fd_ = ::open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode);
  if (fd_ < 0) return false;
  // The way to a name leads over /proc, which a container may lack.
  struct stat status {};
  if (::stat(name_in_proc(fd_).c_str(), &status) == 0) return true;
  close();
  return false;
}

bool UnfinishedFile::open_named(const std::string& directory, const std::string& name) {
  remove_abandoned(directory, name);
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const std::string path =
        fmt::format("{}.{}.{:016x}{}", directory, name, random_number(), kSuffix);
    fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kMode);
    if (fd_ < 0 && errno == EEXIST) continue;
    if (fd_ < 0) return false;
    lock(fd_);
    // Another writer may have taken the file for abandoned before it was locked.
    if (is_linked(fd_)) {
      name_ = path;
      return true;
    }
    close();
  }
  errno = EEXIST;
  return false;
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), name_(std::exchange(other.name_, {})) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(name_, other.name_);
  return *this;
}

UnfinishedFile::~UnfinishedFile() {
  if (!name_.empty()) ::unlink(name_.c_str());
  close();
}

int UnfinishedFile::name_it(const std::string& path) {
  if (name_.empty()) {
    const std::string nameless = name_in_proc(fd_);
    const int linked =
        ::linkat(AT_FDCWD, nameless.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
    return linked == 0 ? 0 : errno;
  }
  const int error = move_to_free_name(name_, path);
  if (error == 0) name_.clear();
  return error;
}

int UnfinishedFile::close() { return fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 ? errno : 0; }

}  // namespace perseid
