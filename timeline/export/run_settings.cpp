// timeline/export/run_settings.cpp: reads the settings of a run from its manifest.
#include "timeline/export/run_settings.h"

#include <string_view>

namespace perseid {

RunSettings read_run_settings(const Manifest& manifest) {
  RunSettings settings;
  const std::string_view arrows = manifest.get("deps");
  if (arrows == "all") {
    settings.dependency_arrows = UINT64_MAX;
  } else if (!arrows.empty()) {
    settings.dependency_arrows = manifest.get_number("deps");
  }
  const auto read_limit = [&](const char* key, uint64_t& limit) {
    const uint64_t set = manifest.get_number(key);
    if (set > 0) limit = set;
  };
  read_limit("max_events", settings.max_events);
  read_limit("max_bytes", settings.max_bytes);
  settings.format = manifest.get("format");
  settings.out = manifest.get("out");
  settings.report = report_length(manifest.get("report"), settings.report);
  return settings;
}

}  // namespace perseid
