// plugin/pattern_facts.h: what the letters of an output pattern stand for in this process.
#pragma once

#include <cstdint>

namespace perseid {

/// Texts are empty where there is no such thing. None holds a '/' or a control byte: they become
/// parts of file names.
struct PatternFacts {
  char exe[256];
  char host[256];
  char rank[64];
  char job[128];
  char array_index[64];
  uint64_t pid;
  int64_t start_s;  // seconds since 1970, UTC
};

/// Asks /proc, the kernel and the environment that MPI launchers and batch systems set.
PatternFacts read_pattern_facts() noexcept;

}  // namespace perseid
