// tools/perseid/registry_owner.cpp: makes the registry, and takes it away with all its lines.
#include "tools/perseid/registry_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "plugin/run_registry.h"

namespace perseid {
namespace {

bool set_lock(int file, off_t byte, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  int result;
  do {
    result = fcntl(file, F_OFD_SETLKW, &lock);
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

void add_line(std::string_view line, std::vector<AnnouncedCapture>& all) {
  constexpr std::string_view kOpen = "open ";
  constexpr std::string_view kDone = "done ";
  const bool is_done = line.starts_with(kDone);
  if (!is_done && !line.starts_with(kOpen)) return;
  const std::string path = unescape(line.substr(kOpen.size()));
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

}  // namespace

Result<RegistryOwner> RegistryOwner::create(const std::string& directory) {
  const char* temporary = getenv("TMPDIR");
  int error = 0;
  for (const std::string& base :
       {directory, std::string(temporary ? temporary : ""), std::string("/tmp")}) {
    if (!base.starts_with('/')) continue;
    std::string path = base + (base == directory ? "/.perseid-run-XXXXXX" : "/perseid-run-XXXXXX");
    const int file = mkostemp(path.data(), O_CLOEXEC);
    if (file >= 0 && set_lock(file, kRegistryHolderLock, F_WRLCK)) {
      return RegistryOwner(std::move(path), file);
    }
    error = errno;
    if (file < 0) continue;
    unlink(path.c_str());
    close(file);
  }
  return Error{std::string("cannot make a file in /tmp: ") + strerror(error) +
               "; set TMPDIR to a directory that can be written"};
}

RegistryOwner::RegistryOwner(RegistryOwner&& other) noexcept
    : path_(std::move(other.path_)), file_(other.file_) {
  other.file_ = -1;
}

RegistryOwner::~RegistryOwner() { take_all(); }

std::vector<AnnouncedCapture> RegistryOwner::take_all() {
  std::vector<AnnouncedCapture> all;
  if (file_ < 0) return all;
  set_lock(file_, kRegistryLinesLock, F_WRLCK);
  unlink(path_.c_str());
  const std::string text = read_whole(file_);
  // Closing would leave the lock with a child of ours that has not reached its exec yet.
  set_lock(file_, kRegistryLinesLock, F_UNLCK);
  close(file_);
  file_ = -1;

  std::string_view rest = text;
  for (size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    add_line(rest.substr(0, end), all);
    add_gap(rest.substr(0, end), gaps_);
  }
  return all;
}

}  // namespace perseid
