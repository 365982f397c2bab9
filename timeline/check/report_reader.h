// timeline/check/report_reader.h: reports that were written as JSON, alone or inside a timeline.
// The input may be anybody's.
#pragma once

#include <string>
#include <string_view>

#include "capture/result.h"
#include "timeline/analysis/report_data.h"

namespace perseid {

/// What write_report_json() wrote, now or in any other version: members that are missing keep their
/// defaults, unknown ones are passed over, times of unknown labels count as unexplained. An error
/// says which member cannot be.
Result<ReportData> read_report_json(std::string_view json);

/// False if numbers would grow beyond 64 bits: two files may each have as much as there is room
/// for.
bool can_add(const ReportData& to, const ReportData& more) noexcept;

/// The report inside a timeline of any format, compressed or not; of several ones, their sum.
Result<ReportData> report_in_timeline(const std::string& path);

}  // namespace perseid
