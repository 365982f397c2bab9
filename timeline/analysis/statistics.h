// timeline/analysis/statistics.h: times of tasks by kind, kind of worker and footprint.
//
// Memory: open tasks, and a histogram for each class of equal tasks (a kind of task, on a kind of
// worker, with one footprint) and for each worker that runs it. Classes have a limit, so that
// footprints which never come back cost no more than others.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/analysis/counted_time.h"
#include "timeline/analysis/histogram.h"
#include "timeline/analysis/report_data.h"
#include "timeline/model/batch.h"
#include "timeline/model/dense_table.h"
#include "timeline/model/id_table.h"

namespace perseid {

/// Executions that should take equally long.
struct TaskClass {
  /// Of executions in which this share of the workers of their kind was busy.
  struct Load {
    uint64_t tasks = 0;
    int64_t total_ns = 0;
  };

  uint32_t kind = 0;  // place in Statistics::kind_name()
  WorkerKind on = WorkerKind::kCpu;
  bool is_rest = false;    // of the kind: footprints beyond the limit
  uint64_t footprint = 0;  // 0: not known
  Histogram durations;
  Load crowded;                  // >= 90 %
  Load alone;                    // <= 50 %
  int64_t latest_submit_ns = 0;  // of those that ran, in counted time without waits; 0: unknown
  uint64_t predicted_tasks = 0;
  int64_t predicted_ns = 0;  // the sum of predictions
  double model_error = 0;    // sum of |predicted - measured| / measured
  double model_bias = 0;     // sum of (predicted - measured) / measured
  uint64_t outliers = 0;     // filled in by finish()
  int64_t outlier_excess_ns = 0;

  /// Mean time among busy workers against that among idle ones. 0: too few of either.
  double contention() const noexcept;
};

/// How much longer than its peers, the other workers of its kind, a worker takes for equal tasks.
struct WorkerSpeed {
  WorkerId worker = 0;
  uint32_t classes = 0;       // that it and its peers ran often enough
  uint64_t tasks = 0;         // of these classes
  int64_t time_permille = 0;  // median over the classes of its median / that of its peers
};

/// Workers of one kind.
struct WorkerTotals {
  uint32_t workers = 0;  // at a time, at most; threads of OpenMP: those that worked
  int64_t busy_ns = 0;   // in WorkerState::kWork, until the last end
};

class Statistics final : public ModelSink {
 public:
  static constexpr size_t kMaxClasses = 4096;
  static constexpr size_t kMaxKinds = 4096;
  /// Of a class and a worker. Later ones are not compared with their peers.
  static constexpr size_t kMaxPairs = 16384;

  /// Executions count that lie in these windows; see WorkerTimes.
  explicit Statistics(std::vector<TimeWindow> windows = {}) : clock_(std::move(windows)) {}
  void leave_out(bool (*is_left_out)(std::string_view phase)) { clock_.leave_out(is_left_out); }

  void take(const BatchRef& batch) override;
  void finish(const NameIds& names) override;

  // After finish().

  /// The largest first.
  const std::vector<KindStatistics>& kinds() const noexcept { return kinds_; }
  const std::vector<TaskClass>& classes() const noexcept { return classes_; }
  /// Of the kind that a class names.
  const std::string& kind_name(uint32_t kind) const { return open_kinds_[kind].text; }
  /// Of all workers with at least one class to compare, in order of ids.
  const std::vector<WorkerSpeed>& speeds() const noexcept { return speeds_; }
  const WorkerTotals& workers(WorkerKind kind) const {
    return worker_totals_[static_cast<size_t>(kind)];
  }
  uint64_t executions() const noexcept { return executions_; }
  /// To the last end of an execution, of the time that counts.
  int64_t time_ns() const noexcept { return time_ns_; }

  // For sweep().
  void on(const RegionRow& row);
  void on(const WaitRow& row);
  void on(const StretchRow& row);
  void on(const StepRow& row);

 private:
  static constexpr int64_t kUnknown = -1;

  /// Small: programs may submit a million tasks before the first one runs. In counted time.
  struct Open {
    int64_t submitted_ns = kUnknown;
    int64_t ready_ns = kUnknown;
    int64_t taken_ns = kUnknown;
    uint32_t kind = 0;
    uint32_t run = 0;  // 1 + its place; 0: none yet
    ThreadId submitter = 0;
    int64_t unhindered_ns = 0;  // when it would be submitted without waits
  };
  /// Of a task that has begun: its latest execution.
  struct Run {
    int64_t begin_ns = 0;
    int64_t begin_counted_ns = 0;
    int64_t work_ns = 0;  // in stretches
    int64_t busy_ns = 0;  // what Crowd's integrals were when it began
    int64_t present_ns = 0;
  };
  /// How long a thread has waited for anything.
  struct Submitter {
    uint32_t open_waits = 0;
    int64_t since_counted_ns = 0;
    int64_t waited_ns = 0;
    TaskId latest = 0;  // that it has submitted
    bool is_worker = false;
  };
  struct OpenKind {
    NameId name = 0;
    std::string text;  // from finish() on
    int64_t wait_dependencies_ns = 0;
    int64_t wait_queue_ns = 0;
    std::array<int64_t, kWorkerKinds> overhead_ns{};
    std::array<uint32_t, kWorkerKinds> latest_class{};  // 1 + its place; 0: none
  };
  struct Worker {
    WorkerKind kind = WorkerKind::kCpu;
    bool is_known = false;
    bool is_busy = false;
    bool is_gone = false;
    bool has_worked = false;
    int64_t since_counted_ns = 0;  // the end of its latest stretch
    uint32_t next_kind = 0;        // of the task of its present stretch, 1 + its place; 0: none
  };
  /// Workers of one kind at present, and integrals over counted time of how many there were.
  struct Crowd {
    int64_t at_ns = 0;
    uint32_t busy_now = 0;
    uint32_t present_now = 0;
    uint32_t max_present = 0;
    int64_t busy_ns = 0;
    int64_t present_ns = 0;
    int64_t busy_at_end_ns = 0;  // of the latest execution or parallel region
    void advance(int64_t to_ns) noexcept {
      const int64_t passed_ns = to_ns - at_ns;
      if (passed_ns == 0) return;
      max_present = std::max(max_present, present_now);
      busy_ns += passed_ns * busy_now;
      present_ns += passed_ns * present_now;
      at_ns = to_ns;
    }
  };
  struct Pair {
    uint32_t task_class = 0;
    WorkerId worker = 0;
    Histogram durations;
  };

  /// Rows of one task come together. Nothing is inserted while they are swept.
  Open* find(TaskId id) noexcept {
    if (id != latest_id_) {
      latest_id_ = id;
      const uint32_t* const place = open_ids_.find(id);
      latest_ = place != nullptr ? &open_[*place] : nullptr;
    }
    return latest_;
  }
  void describe(const WorkerRow& row);
  void submit(const TaskRow& row);
  void retire(TaskId id);
  uint32_t kind_of(NameId name);
  TaskClass& class_of(uint32_t kind, WorkerKind on, uint64_t footprint);
  Worker& worker(WorkerId id);
  int64_t submission_time(ThreadId thread, int64_t counted_ns);
  void begin(Open& task, const StepRow& row);
  void end(Open& task, const StepRow& row);
  void add_to_pair(const TaskClass& of, WorkerId on, int64_t duration_ns);
  void find_outliers();
  void fill_kinds(const NameIds& names);
  void fill_speeds();

  const ModelBatch* batch_ = nullptr;
  size_t next_execution_ = 0;
  CountedTime clock_;
  DenseTable<uint32_t> open_ids_;
  IdTable<Submitter> submitters_;  // by thread
  std::vector<Open> open_;
  std::vector<uint32_t> free_open_;
  std::vector<Run> runs_;
  std::vector<uint32_t> free_runs_;
  TaskId latest_id_ = 0;    // the one that was looked for
  Open* latest_ = nullptr;  // null: not open
  NameId latest_name_ = ~NameId{0};
  uint32_t latest_kind_ = 0;
  IdTable<uint32_t> kind_ids_;   // 1 + the place, by name
  IdTable<uint32_t> class_ids_;  // 1 + the place
  IdTable<uint32_t> pair_ids_;   // 1 + the place
  std::vector<OpenKind> open_kinds_;
  std::vector<TaskClass> classes_;
  std::vector<Pair> pairs_;
  std::vector<Worker> workers_;
  std::array<Crowd, kWorkerKinds> crowds_;
  uint64_t executions_ = 0;
  int64_t time_ns_ = 0;

  std::vector<KindStatistics> kinds_;
  std::vector<WorkerSpeed> speeds_;
  std::array<WorkerTotals, kWorkerKinds> worker_totals_{};
};

}  // namespace perseid
