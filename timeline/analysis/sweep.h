// timeline/analysis/sweep.h: goes through the rows of a batch in the order of time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timeline/model/batch.h"

namespace perseid {

/// When a sink can know of the row.
inline int64_t time_of(const StepRow& row) noexcept { return row.ns; }
inline int64_t time_of(const StretchRow& row) noexcept { return row.end_ns; }
inline int64_t time_of(const WaitRow& row) noexcept {
  return row.end_ns == kNotYet ? row.begin_ns : row.end_ns;
}
inline int64_t time_of(const RegionRow& row) noexcept {
  return row.end_ns == kNotYet ? row.begin_ns : row.end_ns;
}

inline int64_t time_of(const MessageRow& row) noexcept {
  return row.end_ns == kNotYet ? row.begin_ns : row.end_ns;
}

/// Calls `visitor.on(row)` for steps, stretches, waits and regions, and for messages if the visitor
/// takes them. Rows of one time come in this order: messages, regions that begin, waits, stretches,
/// steps, regions that end. The other tables explain these: read them first.
template <class Visitor>
void sweep(const ModelBatch& batch, Visitor& visitor) {
  constexpr bool kTakesMessages = requires(const MessageRow& row) { visitor.on(row); };
  size_t step = 0, stretch = 0, wait = 0, region = 0;
  [[maybe_unused]] size_t message = 0;
  const auto time_at = [](const auto& rows, size_t at) {
    return at < rows.size() ? time_of(rows[at]) : INT64_MAX;
  };
  for (;;) {
    const int64_t step_ns = time_at(batch.steps, step);
    const int64_t stretch_ns = time_at(batch.stretches, stretch);
    const int64_t wait_ns = time_at(batch.waits, wait);
    const int64_t region_ns = time_at(batch.regions, region);
    const int64_t others_ns = std::min({wait_ns, stretch_ns, step_ns});
    if constexpr (kTakesMessages) {
      const int64_t message_ns = time_at(batch.messages, message);
      if (message < batch.messages.size() && message_ns <= std::min(others_ns, region_ns)) {
        visitor.on(batch.messages[message++]);
        continue;
      }
    }
    const bool is_first = region < batch.regions.size() && batch.regions[region].end_ns == kNotYet
                              ? region_ns <= others_ns
                              : region_ns < others_ns;
    if (region < batch.regions.size() && (is_first || others_ns == INT64_MAX)) {
      visitor.on(batch.regions[region++]);
    } else if (wait < batch.waits.size() && wait_ns <= stretch_ns && wait_ns <= step_ns) {
      visitor.on(batch.waits[wait++]);
    } else if (stretch < batch.stretches.size() && stretch_ns <= step_ns) {
      visitor.on(batch.stretches[stretch++]);
    } else if (step < batch.steps.size()) {
      visitor.on(batch.steps[step++]);
    } else {
      return;
    }
  }
}

}  // namespace perseid
