// timeline/walk/losses.h: what a recording does not hold. Every line that reports a run uses it, so
// that none reports less than another.
#pragma once

#include <cstdint>
#include <string>

namespace perseid {

struct Losses {
  uint64_t dropped = 0;            // rings were full
  uint64_t nested = 0;             // of signal handlers that interrupted Perseid
  uint64_t names = 0;              // names that found no room
  uint64_t overwritten_bytes = 0;  // by a flight recorder, as it was asked to
  int64_t kept_ns = 0;             // of all threads, up to the end; only with overwritten_bytes
  int64_t run_ns = 0;

  uint64_t total() const noexcept { return dropped + nested + names; }
  /// Those of another rank: of times, the shortest is what all of them cover.
  void add(const Losses& other) noexcept;
};

/// "the last 3.2 s of 41.0 s, 12.3 MiB of older events overwritten"; "": nothing is overwritten.
std::string describe_kept(const Losses& losses);

/// "0 lost", "17 lost (12 in signal handlers, 5 names)", or for a flight recorder what it kept.
std::string describe(const Losses& losses);

/// "1.5 MiB".
std::string human_bytes(uint64_t bytes);

}  // namespace perseid
