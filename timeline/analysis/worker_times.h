// timeline/analysis/worker_times.h: every nanosecond of every worker under one label.
//
//   window   |<- first submission or region            last end of a task or of a wait ->|
//   worker   | idle: start | scheduler | work | scheduler | idle: dependencies | work | idle: tail
//   |
//
// Costs O(1) per row, whatever the number of workers: what an idle worker waits for is the
// difference of two snapshots of integrals (starpu_causes.h, openmp_causes.h).
//
// Two things are known only at the end: when the window ends, and that no worker takes a task any
// more. So each worker has four sums; what is in the later ones moves up as the run goes on:
//
//                          before the latest end   after it
//   before the latest take |  final              | after_end
//   after it               |  after_take         | after_both
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/analysis/openmp_causes.h"
#include "timeline/analysis/report_data.h"
#include "timeline/analysis/starpu_causes.h"
#include "timeline/analysis/windows.h"
#include "timeline/model/batch.h"

namespace perseid {

class WorkerTimes {
 public:
  /// Only the time in these windows counts, which are in order and do not overlap. None: from the
  /// first submission or parallel region to the last end.
  explicit WorkerTimes(std::vector<TimeWindow> windows = {}) : windows_(std::move(windows)) {}

  /// Phases whose time does not count, such as "warm-up". For runs without windows.
  void leave_out(bool (*is_left_out)(std::string_view phase)) { is_left_out_ = is_left_out; }

  void take(const ModelBatch& batch);
  /// After the last batch.
  void finish();

  int64_t begin_ns() const noexcept { return begin_ns_; }
  int64_t end_ns() const noexcept {
    return is_fixed() ? std::min(windows_.back().end_ns, end_.ns) : end_.ns;
  }
  /// Of the window or windows: the sum of each worker's labels.
  int64_t time_ns() const noexcept { return end_.counted_ns; }
  uint64_t executed() const noexcept { return executed_; }
  uint64_t left_out_phases() const noexcept { return left_out_phases_; }
  int64_t left_out_ns() const noexcept { return left_out_ns_; }

  struct Worker {
    WorkerRow row;
    LabelSums labels;
  };
  std::vector<Worker> workers() const;
  struct Phase {
    NameId name = 0;
    int64_t time_ns = 0;
    std::array<LabelSums, kWorkerKinds> labels;
  };
  const std::vector<Phase>& phases() const noexcept { return phases_; }

  // Rows in the order of time; sweep() calls these.
  void on(const StepRow& row);
  void on(const StretchRow& row);
  void on(const WaitRow& row);
  void on(const RegionRow& row);
  void on(const MessageRow& row);

 private:
  struct Snapshot {
    StarpuCauses::Integrals starpu;
    OpenmpCauses::Integrals openmp;
  };
  /// The latest time of something that decides about what came before.
  struct Mark {
    int64_t ns = INT64_MIN;
    int64_t counted_ns = 0;
    uint64_t number = 0;
    Snapshot at;
  };
  /// Sums, and bits of the labels that may not be 0.
  struct Part {
    LabelSums sums;
    uint32_t used = 0;
  };
  struct Slot {
    WorkerRow row;  // the latest one
    WorkerState state = WorkerState::kIdle;
    bool is_gone = false;
    bool has_snapshot = false;  // of `since_ns`
    int64_t since_ns = 0;       // up to here it is charged
    Snapshot since;             // if it waits
    uint64_t seen_end = 0;      // numbers of the marks
    uint64_t seen_take = 0;
    Part final, after_take, after_end, after_both;
  };
  struct OpenPhase {
    NameId name = 0;
    int64_t counted_ns = 0;
    std::array<LabelSums, kWorkerKinds> labels;
  };

  bool is_fixed() const noexcept { return !windows_.empty(); }
  void add_worker(const WorkerRow& row);
  Slot* slot_of(WorkerId worker) noexcept;

  void advance(int64_t to_ns);
  void pass_to(int64_t ns);
  void start(int64_t at_ns);
  void set_counting(bool counts, int64_t at_ns);
  void charge_all(int64_t to_ns);
  void take_snapshot(Snapshot& to) const noexcept {
    starpu_.copy(to.starpu);
    to.openmp = openmp_.integrals();
  }
  void mark(Mark& mark, int64_t at_ns);

  void sync(Slot& slot) noexcept;
  Part& sums_at(Slot& slot, int64_t ns) noexcept;
  void charge(Slot& slot, int64_t to_ns, WorkerState next, TaskId next_task);
  void charge_busy(Slot& slot, Label label, int64_t from_ns, int64_t to_ns);
  void charge_idle(Slot& slot, int64_t to_ns, const StarpuCauses::Integrals& to, WorkerState next);
  void add_causes(Slot& slot, int64_t from_ns, const Snapshot& from, int64_t to_ns,
                  const StarpuCauses::Integrals& to, const OpenmpCauses::Integrals& to_openmp,
                  WorkerState next);
  std::array<LabelSums, kWorkerKinds> totals();
  void end_phase(int64_t at_ns);

  std::vector<TimeWindow> windows_;
  bool (*is_left_out_)(std::string_view) = nullptr;
  const NameIds* names_ = nullptr;
  size_t next_window_ = 0;
  bool has_started_ = false;
  bool counts_ = false;
  int64_t now_ns_ = INT64_MIN;
  int64_t begin_ns_ = 0;
  int64_t counted_ns_ = 0;
  StarpuCauses starpu_;
  OpenmpCauses openmp_;
  Mark end_;   // of tasks, and of the waits for them
  Mark take_;  // a worker of StarPU took a task
  std::vector<Slot> slots_;
  std::vector<uint32_t> slot_by_worker_;  // 1 + index
  IdTable<uint32_t> slot_by_thread_;      // of OpenMP, 1 + index
  std::vector<Phase> phases_;
  std::vector<OpenPhase> open_phases_;  // at most one
  bool is_in_left_out_ = false;
  uint64_t executed_ = 0;
  uint64_t left_out_phases_ = 0;
  int64_t left_out_ns_ = 0;
  int64_t left_out_from_ns_ = 0;
  bool has_scheduling_ = false;  // records of what the scheduler does
};

}  // namespace perseid
