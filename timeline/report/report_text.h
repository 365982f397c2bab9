// timeline/report/report_text.h: a report as text for logs and terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "timeline/analysis/report_data.h"

namespace perseid {

enum class ReportLength : uint8_t { kOff, kShort, kFull };

/// Columns of a line; characters count as one each.
inline constexpr size_t kReportWidth = 79;
inline constexpr size_t kReportLines = 25;  // of the full text, at most
inline constexpr size_t kShortReportLines = 5;

/// Lines that end with a newline; the first starts "perseid: ". "" where nothing was recorded that
/// a report could be about, or nothing was asked for. `next`: the command that shows more; one that
/// does not fit into a line is left out.
std::string report_text(const ReportData& data, ReportLength length, std::string_view next);

/// There are workers to report about.
bool has_report(const ReportData& data) noexcept;

/// "off", "short" or "full"; anything else is `otherwise`.
ReportLength report_length(std::string_view word, ReportLength otherwise) noexcept;

}  // namespace perseid
