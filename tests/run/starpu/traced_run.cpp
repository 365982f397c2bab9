// tests/run/starpu/traced_run.cpp: starts the program with the right variables for each way to
// attach.
#include "tests/run/starpu/traced_run.h"

#include <algorithm>
#include <sstream>

namespace perseid::starpu {

std::string built(const std::string& name) { return PERSEID_STARPU_PROGRAMS "/" + name; }

host::Launch launch_of(const Run& what) {
  host::Launch launch;
  launch.program = what.program.find('/') == std::string::npos ? built(what.program) : what.program;
  launch.args = what.args;
  launch.settings = "";
  launch.is_preloaded = false;
  launch.environment = what.environment;
  const auto is_home = [](const auto& entry) { return entry.first == "STARPU_HOME"; };
  if (std::ranges::none_of(what.environment, is_home))
    launch.environment.emplace_back("STARPU_HOME", PERSEID_STARPU_HOME);
  launch.environment.emplace_back("STARPU_SILENT", "1");
  if (!what.settings.empty()) launch.environment.emplace_back("STARPU_TRACE_PLUGIN", what.settings);
  std::string preload = what.is_preloaded ? host::library_path() : "";
  if (!what.preload_after.empty()) preload += ':' + what.preload_after;
  if (!preload.empty()) launch.environment.emplace_back("LD_PRELOAD", preload);
  return launch;
}

TracedRun run(const Run& what) {
  host::Sandbox sandbox;
  TracedRun result;
  result.ending = sandbox.run(launch_of(what));
  const std::vector<std::string> captures = sandbox.captures();
  result.captures = captures.size();
  if (!captures.empty()) result.trace = read_starpu_trace(captures.front());

  std::istringstream words(result.ending.out);
  for (std::string word; words >> word;) {
    if (word == "submitted") words >> result.submitted;
    if (word == "executed") words >> result.executed;
    if (word == "callbacks") words >> result.callbacks;
  }
  return result;
}

}  // namespace perseid::starpu
