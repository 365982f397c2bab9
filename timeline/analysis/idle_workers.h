// timeline/analysis/idle_workers.h: how many workers of each kind have nothing to do, integrated
// over time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "timeline/analysis/report_data.h"
#include "timeline/model/rows.h"

namespace perseid {

/// Whether somebody was idle between two instants is the difference of two readings.
class IdleWorkers {
 public:
  using Reading = std::array<int64_t, kWorkerKinds>;

  /// A thread of OpenMP that waits runs tasks.
  static constexpr bool is_idle(WorkerState state) noexcept {
    return state == WorkerState::kIdle || state == WorkerState::kSleep ||
           state == WorkerState::kBarrier || state == WorkerState::kTaskwait;
  }

  void begin(WorkerKind kind, int64_t at_ns) noexcept { change(kind, 1, at_ns); }
  void end(WorkerKind kind, int64_t at_ns) noexcept { change(kind, -1, at_ns); }

  /// Worker nanoseconds up to now, by kind.
  Reading read(int64_t at_ns) const noexcept {
    Reading reading;
    for (size_t kind = 0; kind < kWorkerKinds; ++kind) {
      reading[kind] = offset_ns_[kind] + workers_[kind] * at_ns;
    }
    return reading;
  }

  /// `kinds`: bits of WorkerKinds.
  static bool was_any(const Reading& from, const Reading& to, uint32_t kinds) noexcept {
    for (size_t kind = 0; kind < kWorkerKinds; ++kind) {
      if ((kinds >> kind & 1) != 0 && to[kind] != from[kind]) return true;
    }
    return false;
  }

 private:
  // The integral is offset + workers x time, so that idle workers cost nothing as time goes by.
  void change(WorkerKind kind, int64_t by, int64_t at_ns) noexcept {
    workers_[static_cast<size_t>(kind)] += by;
    offset_ns_[static_cast<size_t>(kind)] -= by * at_ns;
  }

  std::array<int64_t, kWorkerKinds> workers_{};
  std::array<int64_t, kWorkerKinds> offset_ns_{};
};

}  // namespace perseid
