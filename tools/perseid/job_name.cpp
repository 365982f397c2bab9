// tools/perseid/job_name.cpp: removes the rank from the end of the name.
#include "tools/perseid/job_name.h"

#include <fmt/format.h>

#include <filesystem>

#include "timeline/export/run_settings.h"
#include "timeline/export/timeline_name.h"
#include "timeline/walk/job.h"

namespace perseid {
namespace {

/// "solver-3" without "-3", "_3" or ".3"; unchanged if it does not end so.
std::string without_rank(const std::string& stem, uint32_t rank) {
  for (const char separator : {'-', '_', '.'}) {
    const std::string suffix = fmt::format("{}{}", separator, rank);
    if (stem.ends_with(suffix) && stem.size() > suffix.size()) {
      return stem.substr(0, stem.size() - suffix.size());
    }
  }
  return stem;
}

}  // namespace

std::string job_timeline(const CaptureHead& head) {
  const JobRank job = job_rank(head.manifest, head.state);
  const std::filesystem::path wanted(read_run_settings(head.manifest).out);
  const std::string name = timeline_name(head.manifest, head.path);
  std::string suffix;
  for (const char* known : {".json.gz", ".pftrace.gz", ".json", ".pftrace"}) {
    if (name.ends_with(known)) {
      suffix = known;
      break;
    }
  }
  const std::string stem = name.substr(0, name.size() - suffix.size());
  const std::string joined = without_rank(stem, job.rank);
  std::filesystem::path directory = wanted.parent_path();
  if (directory.filename() == fmt::format("r{}", job.rank / 256)) {
    directory = directory.parent_path();
  }
  return directory /
         ((joined == stem ? stem + ".merged" : joined) + (suffix.empty() ? ".json" : suffix));
}

}  // namespace perseid
