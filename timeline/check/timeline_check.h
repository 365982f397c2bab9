// timeline/check/timeline_check.h: what the checks of the formats share.
#pragma once

#include <string>

#include "capture/file.h"
#include "capture/result.h"
#include "timeline/check/report.h"

namespace perseid {

Result<CheckReport> check_json(const File& file, const std::string& path);
Result<CheckReport> check_pftrace(const File& file, const std::string& path);

/// Whether the file holds protobuf packets, and not JSON.
bool has_packets(const File& file);

/// Whether the file is a whole timeline, without counting what is in it: several times as fast. An
/// error names the file and the place.
Result<bool> validate_timeline(const File& file, const std::string& path);

/// Losses and damage, as the facts of the run have them. What is counted before is the file's own.
void check_facts(CheckReport& report);

}  // namespace perseid
