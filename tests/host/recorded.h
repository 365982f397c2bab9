// tests/host/recorded.h: a capture read back, in the shape that tests ask about.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "annotations/events.h"
#include "capture/core_events.h"
#include "capture/format.h"

namespace perseid::host {

/// One thread's records, in order.
struct RecordedStream {
  StreamInfo info{};
  std::string name;
  std::vector<uint64_t> numbers;       // ids of flow_out: what the programs count with
  std::map<uint16_t, uint64_t> kinds;  // how many records of each kind
  std::vector<std::string> texts;      // names of begins and instants
  uint64_t lost = 0;                   // as its `lost` records tell
  uint64_t holes = 0;                  // bytes missing between records

  uint64_t count(uint16_t kind) const;
};

struct Recorded {
  std::string path;
  std::vector<RecordedStream> streams;
  std::vector<std::string> damages;
  SessionEnd end = SessionEnd::kRunning;
  uint32_t end_signal = 0;
  uint64_t lost_without_ring = 0;
  uint64_t nested = 0;
  uint64_t spool_errors = 0;
  uint64_t overwritten_bytes = 0;  // of streams that are gone as a whole
  uint64_t chunks = 0;             // pieces in which records left the rings
  uint64_t pid = 0;
  std::string rings;

  uint64_t count(uint16_t kind) const;
  uint64_t count(annotations::Event event) const { return count(annotations::kind(event)); }
  uint64_t numbers() const;
  /// Losses of all threads, those without a ring included.
  uint64_t lost() const;
  /// The texts of all streams together, sorted.
  std::vector<std::string> texts() const;
  std::string describe() const;
};

/// Throws if the capture cannot be opened at all.
Recorded read_capture(const std::string& path);

/// "", or a sentence: the numbers of a stream must be base, base + 1, ... without a gap, at least
/// `at_least` of them.
std::string find_gap(const RecordedStream& stream, uint64_t at_least);

}  // namespace perseid::host
