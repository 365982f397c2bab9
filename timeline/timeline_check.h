// timeline/timeline_check.h: what the checks of the formats share.
#pragma once

#include <string>

#include "capture/file.h"
#include "capture/result.h"
#include "timeline/summary.h"

namespace perseid {

Result<CheckReport> check_json(const File& file, const std::string& path);
Result<CheckReport> check_pftrace(const File& file, const std::string& path);

/// Losses and damage, as the facts of the run tell them. What is counted before is the file's own.
void judge_facts(CheckReport& report);

}  // namespace perseid
