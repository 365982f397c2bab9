// plugin/session/unrecorded.h: what a process did, or could have done, that is not in its timeline.
#pragma once

#include <cstdint>

namespace perseid {

enum class Unrecorded : uint8_t {
  kUsed,      // the runtime was used, and cannot be recorded this way
  kIdle,      // the process could have done it and did not; matters where nothing was recorded
  kReported,  // the runtime was used, and the user was already informed
};

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
