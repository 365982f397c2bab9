// tests/run/starpu/traced_run.h: runs a StarPU program with the library inside and reads its trace.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/host/harness.h"
#include "tests/run/starpu/starpu_trace.h"

namespace perseid::starpu {

struct TracedRun {
  host::Ending ending;
  StarpuTrace trace;
  size_t captures = 0;  // that the run left; `trace` is the first

  // What the programs of this folder print at their end.
  size_t submitted = 0;
  size_t executed = 0;
  size_t callbacks = 0;

  std::string describe() const { return ending.describe() + '\n' + trace.describe(); }
};

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Run {
  std::string program;  // in the folder of the programs, or a path
  std::vector<std::string> args{};
  std::string settings = host::kCaptureOnly;  // STARPU_TRACE_PLUGIN; "": unset
  std::string preload_after{};                // a library loaded behind ours
  bool is_preloaded = true;
  Environment environment{};
};

/// How `what` is started.
host::Launch launch_of(const Run& what);
TracedRun run(const Run& what);

/// The file of a program or a library of this folder.
std::string built(const std::string& name);

}  // namespace perseid::starpu
