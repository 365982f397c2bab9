// tools/perseid/capture_removal.cpp: file by file, by known names only.
#include "tools/perseid/capture_removal.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string_view>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/manifest.h"
#include "capture/recorder_life.h"
#include "capture/unmade.h"
#include "timeline/check/plain_file.h"
#include "timeline/check/timeline_check.h"
#include "tools/perseid/ring_removal.h"

namespace perseid {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxManifestBytes = 1 << 20;
constexpr std::string_view kRemovingSuffix = ".removing";
constexpr int kMaxNumber = 1000;

/// A directory that is held open, so that no other can take its place meanwhile.
class HeldDirectory {
 public:
  explicit HeldDirectory(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {}
  ~HeldDirectory() {
    if (fd_ >= 0) ::close(fd_);
  }
  HeldDirectory(const HeldDirectory&) = delete;
  HeldDirectory& operator=(const HeldDirectory&) = delete;

  int descriptor() const noexcept { return fd_; }
  std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }
  Manifest manifest() const {
    return parse_manifest(File(path() + "/" + kManifestFile).read_text(kMaxManifestBytes));
  }
  uid_t owner() const {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 ? status.st_uid : static_cast<uid_t>(-1);
  }

 private:
  int fd_;
};

fs::path without_slash(const std::string& path) {
  const fs::path normal = fs::path(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool is_capture_name(const fs::path& path) { return path.extension() == kCaptureSuffix; }

/// "runs/x.capture" -> "runs/.x.capture.removing", with a number if that is taken. "" and errno
/// if it cannot be renamed.
std::string hide(const fs::path& capture) {
  for (int number = 0; number < kMaxNumber; ++number) {
    const std::string hidden =
        capture.parent_path() / fmt::format(".{}{}{}", capture.filename().string(),
                                            number > 0 ? fmt::format(".{}", number) : "",
                                            kRemovingSuffix);
    if (::renameat2(AT_FDCWD, capture.c_str(), AT_FDCWD, hidden.c_str(), RENAME_NOREPLACE) == 0) {
      return hidden;
    }
    // Where the file system has no RENAME_NOREPLACE, only an empty directory could be replaced.
    if (errno == EINVAL && ::rename(capture.c_str(), hidden.c_str()) == 0) return hidden;
    if (errno == ENAMETOOLONG) return capture;  // then it is taken apart where it is
    if (errno != EEXIST && errno != ENOTEMPTY) break;
  }
  return {};
}

void remove_content(const HeldDirectory& capture) {
  const Manifest manifest = capture.manifest();
  remove_rings_elsewhere(manifest, capture.owner());
  remove_rings_in(capture.descriptor(), manifest.get_number("session", 16));
  // The manifest goes last: without it the rings could not be found.
  for (const char* name :
       {kStateFile, kStringsFile, kSpoolFile, kTopologyFile, kModulesFile, kManifestFile}) {
    ::unlinkat(capture.descriptor(), name, 0);
  }
}

/// The processes of a job clean up after each other: the last one finds nothing left.
bool remove_directory(const std::string& path) {
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT;
}

Error not_removed(const std::string& capture, std::string_view why) {
  return {fmt::format("{} was not removed: {}", capture, why)};
}

}  // namespace

std::string why_recorded(const std::string& capture) {
  switch (recorder_life(capture)) {
    case RecorderLife::kEnded:
    case RecorderLife::kGone:
      return {};
    case RecorderLife::kAlive:
      return "it is still being recorded";
    case RecorderLife::kUnknown:
      break;
  }
  return "another machine or container may still be recording it; if not, remove it by hand";
}

Result<bool> remove_capture(const std::string& path) {
  const fs::path capture = without_slash(path);
  const HeldDirectory held(capture);
  if (held.descriptor() < 0) {
    if (errno == ENOENT) return true;
    return not_removed(path, errno == ELOOP || errno == ENOTDIR
                                 ? "it is a symbolic link or not a directory"
                                 : std::strerror(errno));
  }
  if (is_half_removed(capture)) {
    remove_content(held);
    if (remove_directory(capture)) return true;
    return not_removed(path, std::strerror(errno));
  }
  if (held.manifest().version == 0 && !(is_capture_name(capture) && is_unmade(held.path())))
    return not_removed(path, "it has no readable manifest");
  if (const std::string why = why_recorded(held.path()); !why.empty())
    return not_removed(path, why);
  const std::string hidden = hide(capture);
  if (hidden.empty() && errno == ENOENT) return true;
  if (hidden.empty()) return not_removed(path, std::strerror(errno));
  remove_content(held);
  if (remove_directory(hidden)) return true;
  const int error = errno;
  ::renameat2(AT_FDCWD, hidden.c_str(), AT_FDCWD, capture.c_str(), RENAME_NOREPLACE);
  return not_removed(path, std::strerror(error));
}

Result<bool> read_back(const std::vector<std::string>& timelines) {
  for (const std::string& path : timelines) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) continue;
    const Result<File> file = open_plain(path);
    const Result<bool> sound = file ? validate_timeline(*file, path) : Error{file.error()};
    if (!sound) return Error{fmt::format("the timeline cannot be read back: {}", sound.error())};
  }
  return true;
}

bool is_half_removed(const std::string& path) {
  const std::string name = without_slash(path).filename();
  return name.starts_with('.') && name.ends_with(kRemovingSuffix) &&
         name.find(kCaptureSuffix) != std::string::npos;
}

void remove_rests_in(const std::string& directory) {
  std::vector<std::string> rests;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (is_half_removed(entry->path())) rests.push_back(entry->path());
  }
  for (const std::string& rest : rests) {
    const HeldDirectory held(rest);
    if (held.descriptor() < 0 || held.owner() != ::geteuid()) continue;
    remove_content(held);
    ::rmdir(rest.c_str());
  }
}

}  // namespace perseid
