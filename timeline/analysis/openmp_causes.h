// timeline/analysis/openmp_causes.h: why a thread of OpenMP waits or has nothing to do.
//
// A barrier is over when its last thread has arrived and all tasks are done. Until then its threads
// wait for others (imbalance), for tasks that exist, or for tasks that a thread still creates;
// after it, for the barrier itself. As for StarPU, integrals make each wait a difference of two
// snapshots.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/analysis/labels.h"
#include "timeline/model/dense_table.h"
#include "timeline/model/id_table.h"
#include "timeline/model/rows.h"

namespace perseid {

class OpenmpCauses {
 public:
  struct Integrals {
    int64_t queued = 0;     // a task is ready
    int64_t blocked = 0;    // none is, but some wait for others
    int64_t creation = 0;   // there is none, but a thread creates tasks
    int64_t running = 0;    // all are taken
    int64_t nothing = 0;    // there are no tasks
    int64_t in_region = 0;  // of all this time: a region is open
  };

  void add_task(const TaskRow& row);
  /// Whether the step is about a task of OpenMP that has work.
  bool on(const StepRow& step) {
    if (tasks_.size() == 0) return false;
    Task* const task = tasks_.find(step.task);
    if (task == nullptr) return false;
    const bool has_work = task->has_work;
    change(*task, step);
    return has_work;
  }
  void on(const WaitRow& wait);
  void on(const RegionRow& region);
  /// What a thread does from now on: one that waits creates no tasks.
  void set_state(ThreadId thread, WorkerState state);
  void pass(int64_t ns) noexcept;

  const Integrals& integrals() const noexcept { return integrals_; }
  /// Adds the causes of a stretch of `thread`, from a snapshot to now, at `now_ns`.
  void add_causes(const Integrals& from, int64_t from_ns, const Integrals& to, int64_t to_ns,
                  ThreadId thread, WorkerState state, WorkerState next, LabelSums& sums);

  bool has_regions() const noexcept { return has_regions_; }

 private:
  enum class State : uint8_t { kNew, kBlocked, kQueued, kTaken };
  struct Task {
    State state = State::kNew;
    bool is_running = false;
    bool has_work = true;
  };
  /// One barrier of a region. Fast threads may be in the next one while slow ones leave it.
  struct Barrier {
    uint64_t number = 0;
    uint32_t arrived = 0;
    int64_t complete_ns = kNotYet;
    int64_t nothing = 0;  // Integrals::nothing at that time
  };
  struct Region {
    uint32_t size = 0;
    std::array<Barrier, 2> barriers;  // by the lowest bit of their number
  };
  struct Thread {
    uint64_t region = 0;  // of its latest barrier
    uint64_t barriers = 0;
    bool is_creator = false;
  };

  void change(Task& task, const StepRow& step);
  void set(Task& task, State state);
  void set_running(Task& task, bool is_running);
  const Barrier* barrier_of(ThreadId thread);

  DenseTable<Task> tasks_;
  IdTable<Region> regions_;  // that are open
  IdTable<Thread> threads_;
  uint64_t queued_ = 0;
  uint64_t blocked_ = 0;
  uint64_t running_ = 0;
  uint32_t creators_ = 0;
  int64_t latest_begin_ns_ = 0;  // of a region
  bool has_regions_ = false;
  Integrals integrals_;
};

}  // namespace perseid
