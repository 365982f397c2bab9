// tools/perseid/capture_removal.cpp: file by file, by known names only.
#include "tools/perseid/capture_removal.h"

#include <dirent.h>
#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "capture/file.h"
#include "capture/format.h"
#include "capture/manifest.h"

namespace perseid {
namespace {

constexpr size_t kLargestManifest = 1 << 20;

bool is_ring_name(std::string_view name) {
  constexpr std::string_view kSuffix = kRingSuffix;
  if (!name.ends_with(kSuffix) || name.size() == kSuffix.size()) return false;
  name.remove_suffix(kSuffix.size());
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

/// The names are read before the first is removed: a directory must not change under readdir.
std::vector<std::string> ring_names(const std::string& directory) {
  std::vector<std::string> names;
  DIR* listing = opendir(directory.c_str());
  if (!listing) return names;
  while (const dirent* entry = readdir(listing)) {
    if (is_ring_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  closedir(listing);
  return names;
}

void remove_rings(const std::string& directory) {
  for (const std::string& name : ring_names(directory)) {
    unlink(fmt::format("{}/{}", directory, name).c_str());
  }
}

}  // namespace

Result<bool> remove_capture(const std::string& capture) {
  const std::string manifest_path = capture + "/" + kManifestFile;
  const Manifest manifest = parse_manifest(File(manifest_path).read_text(kLargestManifest));
  if (manifest.version == 0) {
    return Error{fmt::format("{} is not removed: it has no readable manifest", capture)};
  }
  const std::string rings(manifest.get("rings"));
  if (rings.starts_with('/') && rings != capture) {
    remove_rings(rings);
    rmdir(rings.c_str());
  }
  remove_rings(capture);
  // The manifest goes last: without it nobody would find the rings.
  for (const char* name :
       {kStateFile, kStringsFile, kSpoolFile, kTopologyFile, kModulesFile, kManifestFile}) {
    unlink((capture + "/" + name).c_str());
  }
  if (rmdir(capture.c_str()) == 0 || errno == ENOENT) return true;
  return Error{fmt::format("{} is not removed: {}", capture, std::strerror(errno))};
}

}  // namespace perseid
