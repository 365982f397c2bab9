// plugin/settings/out_pattern.h: from the settings `out` and `dir` to the names of this process's
// files.
//
//   %x program   %h host   %p process id   %r rank   %s ranks   %l local rank   %j job id
//   %J job id and step   %a index in a job array   %n restarts   %t start, UTC, 20240131-235959
//   %q{NAME} an environment variable   %% a percent sign
//
// A letter without a value (%r without MPI) disappears, and the '-', '_' or '.' before it.
#pragma once

#include <limits.h>

#include <span>

#include "plugin/settings/job_environment.h"
#include "plugin/settings/settings.h"

namespace perseid {

/// One row of the list that `perseid env` prints and docs/user/environment.md repeats.
struct PatternLetterInfo {
  const char* letter;
  const char* meaning;
};
std::span<const PatternLetterInfo> pattern_letters() noexcept;

/// Paths here leave this much room below PATH_MAX, and names below NAME_MAX, for what is added
/// to them: ".capture", ".1", the names of files inside.
inline constexpr size_t kPathReserve = 64;
inline constexpr size_t kMaxNameBytes = 200;

/// The absolute path of the timeline. An empty pattern, a directory, or a pattern that ends in
/// '/' gets the default name: perseid-<exe>-<job>-<rank>.json with the parts that exist, or
/// perseid-<exe>-<pid>.json if neither job nor rank does. Whether the file exists is not asked.
/// A relative pattern starts in `working_directory`, which is absolute: the host may have changed
/// its own since the user typed the pattern.
void timeline_path(const char* pattern, const JobEnvironment& environment,
                   const char* working_directory, char (&path)[PATH_MAX],
                   ReportProblem report_problem, void* context) noexcept;

/// The absolute path of the capture: the timeline's name with ".capture" for its suffix, next to
/// it, or in the directory that the pattern `dir` gives.
void capture_path(const char* timeline, const char* dir, const JobEnvironment& environment,
                  const char* working_directory, char (&path)[PATH_MAX],
                  ReportProblem report_problem, void* context) noexcept;

}  // namespace perseid
