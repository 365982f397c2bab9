// tests/run/starpu/starpu_trace.h: the StarPU records of a capture, in order of time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "starpu_hooks/events.h"

namespace perseid::starpu {

struct TraceRecord {
  uint64_t ticks = 0;
  size_t stream = 0;
  Event event{};
  uint32_t arg = 0;
  std::vector<uint64_t> words;
};

struct StarpuTrace {
  std::vector<TraceRecord> records;
  std::map<uint32_t, std::string> texts;  // of string ids that records may hold
  std::vector<std::string> damages;
  uint64_t lost = 0;
  uint64_t nested = 0;

  size_t count(Event event) const;
  std::vector<TraceRecord> all(Event event) const;
  /// The text behind `id`, "" for none.
  std::string text(uint32_t id) const;
  /// "kSubmit 3, kExecBegin 2, ...": for the message of a failed expectation.
  std::string describe() const;

  /// "", or the first sentence that is not true of the trace: every execution has an end on the
  /// same worker and a submission of its task before it, every begin has its end on its thread.
  std::string find_broken_life() const;
};

/// Throws if the capture cannot be opened at all.
StarpuTrace read_starpu_trace(const std::string& capture);

}  // namespace perseid::starpu
