// bench/openmp/traced_run.h: one run of an OpenMP program, untraced or under a tracer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace perseid::bench {

enum class Tracer { kNone, kPerseid, kEztrace };

struct TracedRun {
  double cpu_ns = 0;  // user and system, of the process and all its threads, until it is gone
  double wall_ns = 0;
  uint64_t bytes = 0;  // that the tracer has left
  std::string output;
};

/// `library` is libperseid.so. What the tracer writes goes below `scratch` and is removed.
/// Throws std::runtime_error if the program fails.
TracedRun run_traced(Tracer tracer, const std::vector<std::string>& command,
                     const std::string& library, const std::string& scratch, int threads);

/// EZTrace with its module for OpenMP tools is installed.
bool has_eztrace();

}  // namespace perseid::bench
