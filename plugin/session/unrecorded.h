// plugin/session/unrecorded.h: what a process did, or could have done, that is not in its timeline.
#pragma once

#include "plugin/settings/unrecorded_kind.h"

namespace perseid {

/// `sentence` names the program and the remedy. Under `perseid run` it goes to the registry, and
/// `perseid run` prints what matters of all processes; else what was used is printed here, and
/// only in the process that was started, not again in its children. Of a job's ranks one reports.
void report_unrecorded(Unrecorded kind, const char* sentence) noexcept;

/// The program's name without control characters.
struct ProgramName {
  ProgramName() noexcept;
  char text[256];
};

}  // namespace perseid
