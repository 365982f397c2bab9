// timeline/report/report_json.h: a report as JSON: what programs read, and what timelines keep.
//
// Members are only ever added; docs/user/analysis.md lists them. Times are whole nanoseconds.
//
//   {"version":1, "program":"lu", ..., "time_ns":T, "workers":P, "worker_ns":P*T,
//    "labels":{"all":{"work":ns, ...}, "cpu":{...}},          sums: worker_ns
//    "chain":{"work":ns, ...},                                sum: time_ns, or 0: not known
//    "bounds":{"area_ns":ns, ...},                            0: not known
//    "kinds":[...], "per_worker":[...], "phases":[...], "findings":[], "doubts":[...]}
#pragma once

#include <string>
#include <string_view>

#include "timeline/analysis/report_data.h"

namespace perseid {

inline constexpr int kReportVersion = 1;
/// The member of a JSON timeline that holds its report.
inline constexpr std::string_view kReportMember = "perseid_report";

/// Several lines, without a newline at the end. Segments of the chain are not in it.
std::string write_report_json(const ReportData& data);

}  // namespace perseid
