// timeline/export/timeline_name.cpp: from the run's settings, otherwise from the capture's name.
#include "timeline/export/timeline_name.h"

#include <algorithm>
#include <filesystem>

#include "capture/format.h"
#include "timeline/export/run_settings.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

namespace fs = std::filesystem;

/// The capture's own path, also if it was called "." or "runs/..".
fs::path place_of(const std::string& capture) {
  fs::path path = capture;
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() != "." && path.filename() != "..") return path;
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  return error ? path : whole;
}

}  // namespace

std::string timeline_name(const Manifest& manifest, const std::string& capture) {
  std::string name = fs::path(read_run_settings(manifest).out).filename();
  std::ranges::replace_if(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
  const bool is_name = !name.empty() && name != "." && name != "..";
  if (is_name && choose_writer(name, OutputFile::Special::kPassBy)) return name;
  std::string stem = place_of(capture).filename();
  if (stem.ends_with(kCaptureSuffix)) stem.resize(stem.size() - std::string(kCaptureSuffix).size());
  return (stem.empty() || stem == "/" ? "perseid" : stem) + ".json";
}

std::string directory_of(const std::string& capture) {
  const fs::path directory = place_of(capture).parent_path();
  return directory.empty() ? "" : (directory / "").string();
}

}  // namespace perseid
