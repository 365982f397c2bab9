// tools/perseid/registry_owner.cpp: makes the registry, and takes it away with all its lines.
#include "tools/perseid/registry_owner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugin/settings/run_registry.h"

namespace perseid {
namespace {

constexpr std::string_view kRandom = "XXXXXX";
constexpr int kMaxTries = 100;

bool set_lock(int file, off_t byte, short type, int command = F_OFD_SETLKW) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  int result;
  do {
    result = fcntl(file, command, &lock);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

std::string unescape(std::string_view escaped) {
  std::string path;
  for (size_t i = 0; i < escaped.size(); ++i) {
    if (escaped[i] == '\\' && i + 1 < escaped.size()) {
      ++i;
      path += escaped[i] == 'n' ? '\n' : escaped[i];
    } else {
      path += escaped[i];
    }
  }
  return path;
}

std::string read_whole(int file) {
  std::string text;
  char block[65536];
  for (;;) {
    const ssize_t got = pread(file, block, sizeof block, static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<size_t>(got));
  }
}

void add_capture(const std::string& path, bool is_done, std::vector<AnnouncedCapture>& all) {
  auto known = std::ranges::find(all, path, &AnnouncedCapture::path);
  if (known == all.end()) known = all.insert(all.end(), AnnouncedCapture{path, false});
  known->is_done = known->is_done || is_done;
}

void add_gap(std::string_view line, std::vector<Gap>& all) {
  constexpr std::pair<std::string_view, Unrecorded> kWords[] = {
      {"used ", Unrecorded::kUsed}, {"idle ", Unrecorded::kIdle}, {"told ", Unrecorded::kReported}};
  for (const auto& [word, kind] : kWords) {
    if (line.starts_with(word)) all.push_back({kind, unescape(line.substr(word.size()))});
  }
}

/// True for a regular file of our own that still has its name.
bool is_own_file(int file) {
  struct stat found;
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
         found.st_nlink > 0;
}

/// Removes registries without an owner: those of killed runs.
void remove_abandoned(const std::string& directory, const std::string& prefix) {
  DIR* const listing = opendir(directory.c_str());
  if (listing == nullptr) return;
  while (const dirent* const entry = readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kRandom.size()) continue;
    const int file = openat(dirfd(listing), entry->d_name,
                            O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) continue;
    if (is_own_file(file) && set_lock(file, kRegistryHolderLock, F_WRLCK, F_OFD_SETLK)) {
      unlinkat(dirfd(listing), entry->d_name, 0);
    }
    close(file);
  }
  closedir(listing);
}

}  // namespace

Result<RegistryOwner> RegistryOwner::create(const std::string& directory) {
  const char* temporary = getenv("TMPDIR");
  int error = 0;
  for (const std::string& base :
       {directory, std::string(temporary ? temporary : ""), std::string("/tmp")}) {
    if (!base.starts_with('/')) continue;
    const std::string prefix = base == directory ? ".perseid-run-" : "perseid-run-";
    remove_abandoned(base, prefix);
    // Another run may take a file for abandoned before it is locked: then the next one is tried.
    for (int i = 0; i < kMaxTries; ++i) {
      std::string path = base + "/" + prefix + std::string(kRandom);
      const int file = mkostemp(path.data(), O_CLOEXEC);
      if (file >= 0 && set_lock(file, kRegistryHolderLock, F_WRLCK) && is_own_file(file)) {
        return RegistryOwner(std::move(path), file);
      }
      error = errno;
      if (file < 0) break;
      unlink(path.c_str());
      close(file);
    }
  }
  return Error{std::string("cannot create a file in /tmp: ") + strerror(error) +
               "; set TMPDIR to a writable directory"};
}

RegistryOwner::RegistryOwner(RegistryOwner&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      gaps_(std::move(other.gaps_)),
      failures_(std::move(other.failures_)) {}

RegistryOwner::~RegistryOwner() { take_all(); }

std::vector<AnnouncedCapture> RegistryOwner::parse(const std::string& text) {
  std::vector<AnnouncedCapture> all;
  gaps_.clear();
  std::string_view rest = text;
  for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    const std::string_view line = rest.substr(0, end);
    constexpr size_t kWord = std::string_view("open ").size();
    const std::string value = line.size() > kWord ? unescape(line.substr(kWord)) : "";
    if (line.starts_with("open ") || line.starts_with("done ")) {
      add_capture(value, line.starts_with("done "), all);
    } else if (line.starts_with("none ") &&
               std::ranges::find(failures_, value) == failures_.end()) {
      failures_.push_back(value);
    } else {
      add_gap(line, gaps_);
    }
  }
  return all;
}

std::vector<AnnouncedCapture> RegistryOwner::look() {
  return file_ >= 0 ? parse(read_whole(file_)) : std::vector<AnnouncedCapture>();
}

std::vector<AnnouncedCapture> RegistryOwner::take_all() {
  if (file_ < 0) return {};
  set_lock(file_, kRegistryLinesLock, F_WRLCK);
  unlink(path_.c_str());
  const std::string text = read_whole(file_);
  // Closing would leave the lock with a child of ours that has not reached its exec yet.
  set_lock(file_, kRegistryLinesLock, F_UNLCK);
  close(file_);
  file_ = -1;
  return parse(text);
}

}  // namespace perseid
