// capture/unmade.cpp: an empty directory, or one with an empty manifest only.
#include "capture/unmade.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>

#include "capture/format.h"

namespace perseid {
namespace {

bool is_empty_manifest(int directory, std::string_view name) {
  struct stat status {};
  return name == kManifestFile &&
         ::fstatat(directory, kManifestFile, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && status.st_size == 0;
}

}  // namespace

bool is_unmade(const std::string& capture) {
  std::string_view path = capture;
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.ends_with(kCaptureSuffix) && !path.starts_with("/proc/self/fd/")) return false;
  DIR* const listing = ::opendir(capture.c_str());
  if (listing == nullptr) return false;
  bool is_empty = true;
  while (const dirent* const entry = ::readdir(listing)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || is_empty_manifest(::dirfd(listing), name)) continue;
    is_empty = false;
    break;
  }
  ::closedir(listing);
  return is_empty;
}

}  // namespace perseid
