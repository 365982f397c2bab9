// timeline/analysis/starpu_causes.h: why a worker of StarPU has nothing to do, as the state of all
// tasks and submitters says at each moment.
//
// For each kind of worker exactly one cause holds at a time. Their integrals grow with the time, so
// that the causes of an idle stretch are the difference of two snapshots, however many tasks came
// and went meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "timeline/analysis/labels.h"
#include "timeline/analysis/report_data.h"
#include "timeline/model/dense_table.h"
#include "timeline/model/id_table.h"
#include "timeline/model/rows.h"

namespace perseid {

class StarpuCauses {
 public:
  static constexpr size_t kKinds = static_cast<size_t>(WorkerKind::kOther) + 1;
  static constexpr Label kFirst = Label::kStart;
  static constexpr size_t kCauses =
      static_cast<size_t>(Label::kSubmission) - static_cast<size_t>(kFirst) + 1;
  /// Nanoseconds by kind of worker and cause, since counting began. Kinds that no worker has come
  /// last: they are not counted, and copy() leaves them out.
  using Integrals = std::array<std::array<int64_t, kCauses>, kKinds>;

  void add_task(const TaskRow& row);
  void add_worker(const WorkerRow& row);
  /// Whether the step is about a task of StarPU that workers execute.
  bool on(const StepRow& step);
  void on(const WaitRow& wait);
  void on(const MessageRow& message);
  /// Time passes in the state that there is.
  void pass(int64_t ns) noexcept;

  const Integrals& integrals() const noexcept { return integrals_; }
  void copy(Integrals& to) const noexcept {
    for (size_t i = 0; i < kinds_; ++i) to[i] = integrals_[i];
  }
  /// Adds what grew from one snapshot to another. Bits of the labels that have changed.
  uint32_t add_difference(const Integrals& from, const Integrals& to, WorkerKind kind,
                          LabelSums& sums) const noexcept;
  struct Readiness {
    int64_t ns;
    const Integrals* integrals;  // at that time
  };
  /// When a task that is still in the queue became ready. Null integrals: it is not in the queue.
  Readiness readiness(TaskId task) noexcept;

  bool has_submitted() const noexcept { return has_submitted_; }

 private:
  enum class State : uint8_t {
    kPending,
    kHeldBack,  // inside its submission, which is throttled
    kQueued,
    kTaken,
  };
  struct Task {
    uint32_t kinds = 0;
    uint32_t snapshot = 0;  // 1 + its place, while the task is queued
    State state = State::kPending;
    bool has_work = true;
    bool is_running = false;  // a worker has it
  };
  struct Snapshot {
    int64_t ready_ns;
    Integrals integrals;
  };
  struct Submitter {
    uint32_t waits = 0;
    uint32_t throttled = 0;
    TaskId latest = 0;  // that it has submitted
    bool is_submitter = false;
    bool is_worker = false;
    bool counts() const noexcept { return is_submitter && !is_worker; }
  };

  void enqueue(Task& task, int64_t at_ns);
  void leave(Task& task);
  void set_running(Task& task, bool is_running) noexcept;
  /// The submission of the thread's latest task is throttled, or goes on.
  void hold_back(ThreadId thread, bool is_held_back);
  void set_causes() noexcept;
  Label cause_for(size_t kind) const noexcept;
  /// Applies `change` to a thread and counts its state anew.
  template <class Change>
  void change_submitter(ThreadId thread, Change&& change);

  DenseTable<Task> tasks_;  // that have not ended
  std::vector<Snapshot> snapshots_;
  std::vector<uint32_t> free_snapshots_;
  IdTable<Submitter> submitters_;
  uint64_t pending_ = 0;
  uint64_t queued_ = 0;
  uint64_t running_ = 0;
  IdTable<bool> receives_;  // that are posted, by message
  std::array<uint64_t, kKinds> queued_for_{};
  uint32_t submitters_count_ = 0;
  uint32_t waiting_ = 0;    // of them
  uint32_t throttled_ = 0;  // of those
  bool has_submitted_ = false;
  bool has_been_ready_ = false;
  size_t kinds_ = 0;                             // of workers
  std::array<size_t, kKinds> kind_at_{};         // in order of appearance
  std::array<size_t, kWorkerKinds> place_of_{};  // 1 + its place among these; 0: none
  std::array<size_t, kKinds> causes_{};          // now, by place
  Integrals integrals_{};
};

}  // namespace perseid
