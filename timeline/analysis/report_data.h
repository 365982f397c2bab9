// timeline/analysis/report_data.h: the answer to "where did the time go", as plain data. Analyses
// fill it in; text, JSON and timelines show it; several ranks add up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline/analysis/labels.h"
#include "timeline/model/rows.h"

namespace perseid {

inline constexpr size_t kWorkerKinds = static_cast<size_t>(WorkerKind::kOpenmpThread) + 1;

struct WorkerTime {
  WorkerId id = 0;
  std::string name;
  WorkerKind kind = WorkerKind::kCpu;
  uint32_t rank = 0;
  LabelSums labels;  // sum: time_ns
};

/// What the run waited for: segments of time, one after the other, from its begin to its end.
enum class ChainLabel : uint8_t {
  kWork,        // the task that all waited for
  kBusy,        // it was ready, and every worker that could run it was busy
  kPlacement,   // it was ready and waited for its worker, while another one was idle
  kData,        // copies
  kScheduler,   // in the runtime, between ready and begin
  kSubmission,  // the program had not submitted it yet
  kThrottled,
  kProgramWaits,
  kNetwork,
  kBarrier,  // OpenMP: barriers, begin and end of regions
  kLock,
  kSerial,  // OpenMP: outside of regions
  kUnknown,
};
inline constexpr size_t kChainLabels = static_cast<size_t>(ChainLabel::kUnknown) + 1;

struct ChainSegment {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  TaskId task = 0;  // 0: none
  WorkerId worker = 0;
  std::string name;  // of the task; "": none
  ChainLabel label = ChainLabel::kUnknown;
};

struct KindTime {
  std::string kind;
  int64_t ns = 0;
  uint64_t tasks = 0;
};

struct Chain {
  std::array<int64_t, kChainLabels> ns{};  // sum: time_ns
  std::vector<KindTime> work;              // of kWork and kBusy, by kind of task, largest first
  std::vector<ChainSegment> latest;        // in order; the last ones, where there were too many
  std::string taint;                       // "": complete; else why it cannot be trusted
};

/// Lower bounds of the time of any schedule of these tasks. 0: not known.
struct Bounds {
  int64_t area_ns = 0;   // all work, spread over the workers in the best way
  int64_t chain_ns = 0;  // the longest chain of dependencies, each task at its best
  int64_t submission_ns = 0;
  int64_t best_ns = 0;            // the largest of them
  std::vector<KindTime> longest;  // composition of the longest chain
};

/// Executions of one kind of task on one kind of worker.
struct KindOnWorkers {
  uint64_t tasks = 0;
  int64_t total_ns = 0;
  int64_t median_ns = 0;
  int64_t p95_ns = 0;
  int64_t max_ns = 0;
  uint64_t outliers = 0;          // beyond 1.5 interquartile ranges above the third quartile
  int64_t outlier_excess_ns = 0;  // their time above the median
  int64_t p99_ns = 0;
  int64_t overhead_ns = 0;          // of the runtime: the sum over tasks
  int64_t contention_permille = 0;  // times with busy against times with idle workers; 0: unknown
  int64_t area_tasks = -1;          // where the area bound would run them; -1: unknown
};
struct KindStatistics {
  std::string kind;
  uint64_t tasks = 0;
  int64_t total_ns = 0;
  int64_t on_chain_ns = 0;
  int64_t wait_dependencies_ns = 0;  // sums over tasks
  int64_t wait_queue_ns = 0;
  int64_t model_error_permille = -1;  // mean of |predicted - measured| / measured; -1: unknown
  std::array<KindOnWorkers, kWorkerKinds> on;
  uint64_t predicted_tasks = 0;     // whose time the model predicted
  int64_t model_bias_permille = 0;  // of these: mean of (predicted - measured) / measured
};

/// One reason not to trust a number.
struct Doubt {
  std::string id;    // "lost", "chain", ...
  std::string text;  // a sentence
};

/// A named stretch of the run that can be asked for.
struct PhaseTime {
  std::string name;
  int64_t time_ns = 0;
  std::array<LabelSums, kWorkerKinds> labels;
  std::array<uint32_t, kWorkerKinds> workers{};
};

struct ReportData {
  // What ran
  std::string program;
  std::string job;   // "": none
  std::string host;  // several: the first, and how many more
  std::string policy;
  std::string scope;               // "": the whole run; else what it was narrowed to, in words
  std::vector<std::string> hosts;  // of several ranks; empty: only `host`
  uint32_t ranks = 1;              // 0: nothing yet, add() takes the first as it is
  uint64_t tasks = 0;              // that were executed
  uint64_t lost = 0;               // records

  // When: relative to the timeline's zero
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t time_ns = 0;
  int64_t before_ns = 0;  // of the program, outside of the window
  int64_t after_ns = 0;

  std::vector<WorkerTime> workers;
  PhaseTime sums;  // used where `workers` is empty: a part that is not known worker by worker
  Chain chain;
  Bounds bounds;
  std::vector<KindStatistics> kinds;  // the largest first
  std::vector<PhaseTime> phases;
  std::vector<Doubt> doubts;
  std::string too_short;  // "": it can be judged; else why not
};

/// The first of the identities that always hold and that does not hold here, as a sentence; "": all
/// of them hold. Labels of a worker and the chain sum to the time, and no bound is above it.
std::string broken_identity(const ReportData& data);

/// Adds the report of another rank of the same job: of its workers, and of the time that either
/// took. The time outside of a rank's own window becomes start and tail of its workers (serial
/// parts of its threads), so that all labels sum to workers x time again. What depends on one run
/// alone is that of the rank that ended last.
void add(ReportData& to, const ReportData& rank);

}  // namespace perseid
