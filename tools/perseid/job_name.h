// tools/perseid/job_name.h: the name of a job's one timeline, from the name of a rank's.
#pragma once

#include <string>

#include "timeline/walk/job_clocks.h"

namespace perseid {

/// "runs/perseid-solver-4711-3.json" of rank 3 -> "runs/perseid-solver-4711.json". Where the rank
/// is not part of the name, ".merged" is added to it. A directory of a fan-out (r0/) goes, too.
std::string job_timeline(const CaptureHead& rank);

}  // namespace perseid
