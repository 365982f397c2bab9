// plugin/settings/run_registry.cpp: the recording side; one short write under a lock.
#include "plugin/settings/run_registry.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "plugin/settings/text_buffer.h"

namespace perseid::run_registry {
namespace {

/// An escaped path may be twice as long as a path.
constexpr size_t kLineBytes = 2 * PATH_MAX + 16;

struct flock byte_lock(off_t byte) noexcept {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

bool lock_lines(int file) noexcept {
  struct flock lock = byte_lock(kRegistryLinesLock);
  while (fcntl(file, F_OFD_SETLKW, &lock) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

bool is_held(int file) noexcept {
  struct flock lock = byte_lock(kRegistryHolderLock);
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool is_linked(int file) noexcept {
  struct stat found;
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink > 0;
}

/// Holds the registry open and its lines locked; its end unlocks.
class LockedRegistry {
 public:
  explicit LockedRegistry(const char* path) noexcept {
    if (!path || path[0] != '/') return;
    file_ = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
    is_attended_ = file_ >= 0 && lock_lines(file_) && is_linked(file_) && is_held(file_);
  }
  ~LockedRegistry() {
    if (file_ >= 0) close(file_);
  }
  LockedRegistry(const LockedRegistry&) = delete;
  LockedRegistry& operator=(const LockedRegistry&) = delete;

  bool append(std::string_view line) const noexcept {
    if (!is_attended_) return false;
    ssize_t written;
    do {
      written = write(file_, line.data(), line.size());
    } while (written < 0 && errno == EINTR);
    return written == static_cast<ssize_t>(line.size());
  }

 private:
  int file_ = -1;
  bool is_attended_ = false;
};

bool append_line(const char* registry, std::string_view word, std::string_view path) noexcept {
  char line[kLineBytes];
  TextBuffer text(line);
  // A line torn by a full disk must not swallow the next one.
  text.add('\n').add(word);
  for (const char c : path) {
    if (c == '\n') {
      text.add("\\n");
    } else if (c == '\\') {
      text.add("\\\\");
    } else {
      text.add(c);
    }
  }
  text.add('\n');
  return !text.is_cut() && LockedRegistry(registry).append(text.view());
}

}  // namespace

bool announce(const char* registry, const char* capture) noexcept {
  return append_line(registry, "open ", capture);
}

bool hand_over(const char* registry, const char* capture) noexcept {
  return append_line(registry, "done ", capture);
}

bool report_unrecorded(const char* registry, Unrecorded kind, const char* sentence) noexcept {
  const char* const word = kind == Unrecorded::kUsed   ? "used "
                           : kind == Unrecorded::kIdle ? "idle "
                                                       : "told ";
  return append_line(registry, word, sentence);
}

bool report_failure(const char* registry, const char* why) noexcept {
  return append_line(registry, "none ", why);
}

}  // namespace perseid::run_registry
