// timeline/analysis/labels.h: what a worker's time is spent on. At every nanosecond of a run every
// worker has exactly one label, so that the sums of all labels are workers x time.
//
// docs/user/analysis.md defines each of them; ids never change once they are released.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace perseid {

enum class Label : uint8_t {
  // What a worker does
  kWork,
  kCallback,
  kData,       // waits for copies of what its task needs
  kScheduler,  // in the runtime: asks for tasks, prepares and completes them
  kPaused,
  // Why a worker of StarPU has nothing to do
  kTail,           // no task is taken any more
  kStart,          // no task has been ready yet
  kLatency,        // the task that it takes next is ready
  kElsewhere,      // tasks are ready, but others get them
  kNoTaskForKind,  // tasks are ready, but none that this kind of worker can run
  kNetwork,        // all that is submitted waits for messages
  kDependencies,   // all that is submitted waits for other tasks
  kThrottled,      // nothing is submitted: too many tasks are in the queue
  kProgramWaits,   // nothing is submitted: the program waits
  kSubmission,     // nothing is submitted: the program is not fast enough
  // Threads of OpenMP
  kLock,
  kImbalance,  // waits in a barrier for threads that still work
  kCreation,   // waits, while another thread still creates tasks
  kBarrier,    // all have arrived: the barrier itself
  kForkJoin,   // a region begins or ends
  kSerial,     // no region, or none that needs this thread
  kDevice,
  kMpi,
  // What is not known
  kNotRecorded,  // settings left out what would explain it
  kUnexplained,  // 0 in sound captures
};
inline constexpr size_t kLabels = static_cast<size_t>(Label::kUnexplained) + 1;

struct LabelInfo {
  std::string_view id;    // in JSON
  std::string_view text;  // in reports
};
inline constexpr std::array<LabelInfo, kLabels> kLabelInfos = {{
    {"work", "work"},
    {"callback", "callbacks"},
    {"data", "waiting for data (copies)"},
    {"scheduler", "scheduler and runtime"},
    {"paused", "paused by the program"},
    {"tail", "tail: no more tasks"},
    {"start", "start: no task ready yet"},
    {"latency", "ready task, not taken at once"},
    {"elsewhere", "ready tasks, queued elsewhere"},
    {"no_task_for_kind", "no ready task for this kind"},
    {"network", "waiting for messages"},
    {"dependencies", "dependencies: no task was ready"},
    {"throttled", "submission throttled"},
    {"program_waits", "the program waited"},
    {"submission", "submission too slow"},
    {"lock", "waiting for locks"},
    {"imbalance", "imbalance: waiting for others"},
    {"creation", "tasks created too slowly"},
    {"barrier", "barriers"},
    {"fork_join", "begin and end of regions"},
    {"serial", "serial parts"},
    {"device", "waiting for devices"},
    {"mpi", "MPI"},
    {"not_recorded", "not recorded"},
    {"unexplained", "unexplained"},
}};

constexpr std::string_view id_of(Label label) { return kLabelInfos[static_cast<size_t>(label)].id; }
constexpr std::string_view text_of(Label label) {
  return kLabelInfos[static_cast<size_t>(label)].text;
}

/// Nanoseconds by label.
class LabelSums {
 public:
  int64_t& operator[](Label label) noexcept { return ns_[static_cast<size_t>(label)]; }
  int64_t operator[](Label label) const noexcept { return ns_[static_cast<size_t>(label)]; }
  int64_t total() const noexcept { return std::accumulate(ns_.begin(), ns_.end(), int64_t{0}); }
  LabelSums& operator+=(const LabelSums& other) noexcept {
    for (size_t i = 0; i < kLabels; ++i) ns_[i] += other.ns_[i];
    return *this;
  }
  friend bool operator==(const LabelSums&, const LabelSums&) = default;

 private:
  std::array<int64_t, kLabels> ns_{};
};

/// Calls `use(Label)` for each.
template <class Use>
constexpr void for_each_label(Use&& use) {
  for (size_t i = 0; i < kLabels; ++i) use(static_cast<Label>(i));
}

}  // namespace perseid
