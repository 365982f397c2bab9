// timeline/export/merge_captures.h: the captures of all ranks in, one timeline out.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture/result.h"
#include "timeline/analysis/report_data.h"
#include "timeline/report/report_text.h"
#include "timeline/walk/losses.h"
#include "timeline/writers/output_file.h"

namespace perseid {

struct JoinOptions {
  std::string out;
  /// Whether `out` may be a device or a pipe: only where the user named it.
  OutputFile::Special special = OutputFile::Special::kWrite;
  /// Called now and then with the share done, 0 to 1. May be empty.
  std::function<void(double)> progress = {};
};

struct JoinReport {
  std::string file;
  uint64_t captures = 0;
  uint64_t timelines = 0;  // what was joined instead of captures
  uint64_t records = 0;
  Losses losses;
  uint64_t damages = 0;
  uint64_t file_bytes = 0;
  int64_t clock_error_ns = 0;    // the largest of all
  uint64_t realtime_clocks = 0;  // captures of which only CLOCK_REALTIME is known
  uint64_t machines = 0;
  std::vector<std::string> unreadable;  // captures that are left out, and why
  std::vector<std::string> cuts;        // "rank 3: cut at 1.5 s by max_events=500; ..."
  std::vector<std::string> ends;        // "rank 3: killed at the job's time limit"
  ReportData answer;                    // of all ranks
  ReportLength wanted_length = ReportLength::kShort;  // by the settings of the first rank
};

/// One capture after the other is open, so memory and descriptors do not grow with their number.
/// Fails if none can be read or the timeline cannot be written.
Result<JoinReport> join_captures(std::vector<std::string> captures, const JoinOptions& options);

/// Timelines of ranks that have been exported already: JSON with JSON, or protobuf with protobuf.
/// Their ids differ by construction, so this is copying.
Result<JoinReport> join_timelines(const std::vector<std::string>& timelines,
                                  const JoinOptions& options);

/// The line a user sees, without "perseid: ".
std::string describe(const JoinReport& report);
/// What to worry about, one line each.
std::vector<std::string> warnings(const JoinReport& report);

}  // namespace perseid
