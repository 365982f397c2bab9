// bench/spool_facts.h: what a finished capture's spool shows of how it was written.
#pragma once

#include <cstdint>
#include <string>

namespace perseid::bench {

struct SpoolFacts {
  uint64_t bytes = 0;  // of the file
  uint64_t records = 0;
  uint64_t self_flushes = 0;
};

/// Reads every record. Throws std::runtime_error if the spool is not whole.
SpoolFacts read_spool_facts(const std::string& capture);

}  // namespace perseid::bench
