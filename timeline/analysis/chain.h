// timeline/analysis/chain.h: what a run waited for, and its longest chain of dependencies.
//
// From the task that ended last back to the first submission: a task began when the last of these
// had come
//
//   the end of the predecessor that finished last       (first, where several came at once)
//   its own submission
//   the previous end on its worker
//
// Each task is a node whose parent is what it waited for; chain_nodes.h keeps those that may still
// matter. Segments follow each other without gaps, so that their sum is the time of the run.
//
// The same nodes with time that counts only while tasks are executed give the longest chain of
// dependencies: no schedule of these executions can be shorter.
//
// chain.cpp has the lives of tasks, chain_threads.cpp has submitting threads and OpenMP's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "timeline/analysis/chain_nodes.h"
#include "timeline/analysis/idle_workers.h"
#include "timeline/analysis/report_data.h"
#include "timeline/model/batch.h"
#include "timeline/model/dense_table.h"
#include "timeline/model/id_table.h"

namespace perseid {

class ChainAnalysis final : public ModelSink {
 public:
  static constexpr size_t kNewestSegments = 100'000;

  /// `newest_segments`: how many of the chain are kept one by one.
  explicit ChainAnalysis(size_t newest_segments = kNewestSegments) : nodes_(newest_segments) {}

  void take(const BatchRef& batch) override { take(*batch); }
  void take(const ModelBatch& batch);
  void finish(const NameIds& names) override;

  /// After finish(). The sums of `chain` are end_ns() - begin_ns().
  const Chain& chain() const noexcept { return chain_; }
  int64_t begin_ns() const noexcept { return begin_ns_; }
  int64_t end_ns() const noexcept { return end_ns_; }
  /// chain_ns and longest: the others are not this class's.
  void fill_in(Bounds& bounds) const;

  /// Of both kinds of chains.
  size_t live_nodes() const noexcept { return nodes_.live() + spans_.live(); }
  size_t peak_nodes() const noexcept { return nodes_.peak() + spans_.peak(); }

  // Rows in the order of time; sweep() calls these.
  void on(const StepRow& row);
  void on(const StretchRow& row);
  void on(const WaitRow& row);
  void on(const RegionRow& row);

 private:
  using Ref = ChainNodes::Ref;
  using Activity = ChainNodes::Activity;
  static constexpr Ref kNone = ChainNodes::kNone;
  static constexpr int64_t kNever = INT64_MIN;

  /// A chain as it is at `ns`, without a node of its own for what came last.
  struct Place {
    Ref node = kNone;
    int64_t ns = kNever;
    Activity latest;
  };
  /// Of a task or group, until it is retired. What is needed before it is ready is in the first
  /// cache line: programs submit far ahead.
  struct alignas(64) Life {
    NodeId id = 0;
    int64_t submission_ns = kNever;
    int64_t after_ns = kNever;
    Ref submission = kNone;  // the chain of its submitter, who only submitted since then
    Ref after = kNone;       // the predecessor that finished last
    Ref span = kNone;        // the longest chain to it; once it runs, with it
    uint32_t first_link = kNone;
    uint32_t steps = kNone;
    NameId name = 0;
    NameId kind = 0;
    uint16_t flags = 0;
    uint8_t worker_kinds = 0;
    Runtime runtime : 4 = Runtime::kNone;
    bool is_finished : 1 = false;
    bool has_begun : 1 = false;
    bool lacks_predecessor : 1 = false;  // one that is not known

    TaskId parent = 0;
    int64_t finished_ns = kNever;
    Ref node = kNone;      // its end
    Ref end_node = kNone;  // of the last that it is finished with
    Ref end_span = kNone;  // of what it is finished with, or has created
    Ref latest_child = kNone;
    uint32_t running = 0;
    uint32_t submitter = kNone;  // its thread
  };
  static_assert(sizeof(Life) == 128);
  /// Of a task, from when it is ready until it is finished.
  struct Steps {
    int64_t ready_ns = kNever;
    int64_t taken_ns = kNever;
    int64_t fetch_ns = kNever;
    int64_t begin_ns = kNever;
    IdleWorkers::Reading ready_idle{};
  };
  struct Link {
    NodeId to = 0;
    uint32_t life = kNone;  // of `to`, if it has not been retired
    uint32_t next : 31 = 0;
    uint32_t is_end : 1 = 0;
  };
  struct Execution {
    TaskId task = 0;
    Ref node = kNone;  // until its begin
    int64_t begin_ns = 0;
    IdleWorkers::Reading begin_idle{};
  };
  /// The latest work of a worker, for those who waited for it.
  struct LatestWork {
    Ref node = kNone;
    IdleWorkers::Reading begin_idle{};
    IdleWorkers::Reading end_idle{};
  };
  struct Worker {
    bool is_known = false;
    bool has_begun = false;
    WorkerKind kind = WorkerKind::kCpu;
    WorkerState state = WorkerState::kIdle;
    uint32_t thread = kNone;
    int64_t begin_ns = 0;
    int64_t fetched_ns = kNever;
    LatestWork latest;
    std::vector<Execution> open;  // several where kernels are asynchronous
  };
  struct OpenWait {
    WaitKind kind = WaitKind::kTasks;
    int64_t begin_ns = 0;
    TaskId task = 0;          // that waits
    uint32_t region = kNone;  // whose barrier it is
    uint64_t region_number = 0;
    uint64_t barrier = 0;
  };
  struct Thread {
    LatestWork latest;  // its chain up to now, as far as it is known what it did
    bool is_openmp = false;
    bool submits_to_starpu = false;
    WorkerState state = WorkerState::kWork;
    WorkerId worker = 0;
    uint32_t region = kNone;
    uint64_t barriers = 0;      // of its region
    int64_t since_ns = kNever;  // its state
    IdleWorkers::Reading since_idle{};
    TaskId task = 0;
    uint32_t life = kNone;  // of the task
    TaskId latest_submitted = 0;
    TaskId acquisition = 0;
    Ref latest_child = kNone;  // of its implicit task
    std::vector<OpenWait> waits;
  };
  /// Nobody comes to a barrier before all have left the one before the last: two are enough.
  struct Barrier {
    uint64_t number = 0;
    Ref latest = kNone;  // who came last, or ended a task since
  };
  struct Region {
    uint64_t number = 0;
    uint32_t opener = 0;
    uint32_t outer = kNone;
    uint64_t outer_barriers = 0;
    uint32_t size = 0;
    uint32_t joined = 1;
    NameId name = 0;
    Ref fork = kNone;
    Barrier barriers[2];
  };

  // Lives
  void add_task(const TaskRow& row);
  void add_edge(const EdgeRow& row);
  void add_worker(const WorkerRow& row);
  void begin_workers(int64_t now_ns);
  uint32_t find_life(NodeId id) noexcept {
    const uint32_t* const place = (is_group(id) ? groups_ : tasks_).find(id & ~kGroupBit);
    return place != nullptr ? *place : kNone;
  }
  Steps& steps_of(Life& life);
  void forget_steps(Life& life);
  uint32_t make_life(NodeId id);
  void retire(NodeId id);
  void start(int64_t at_ns);
  void submitted(Life& life, const StepRow& row);
  void ready(Life& life, const StepRow& row);
  void begun(uint32_t life, const StepRow& row);
  void ended(uint32_t life, const StepRow& row);
  void finished(uint32_t life, const StepRow& row);
  Ref end_without_begin(Life& life, int64_t at_ns, Ref previous);
  Ref end_without_work(Life& life, const StepRow& row);
  void pass_on(Life& from, Life& to, bool is_end);
  Ref node_at(const Place& place);
  Ref wait_for_cause(Life& life, const LatestWork& previous, WorkerKind kind, const Activity& own,
                     int64_t begin_ns, int64_t fetched_ns);
  void label_busy_worker(Ref node, Life& life, const LatestWork& busy, WorkerKind kind);
  void add_to_span(Life& life, int64_t ns);
  static void own(ChainNodes& nodes, Ref& slot);
  static void assign_later(ChainNodes& nodes, Ref& slot, Ref node);
  Barrier* barrier_of(const OpenWait& wait) noexcept;
  void set_latest_end(Ref node, int64_t at_ns);
  Activity work_of(const Life& life, WorkerId worker) const noexcept;

  // Threads
  uint32_t thread_of(ThreadId id);
  Place place_of(uint32_t thread, int64_t at_ns, Runtime runtime);
  Activity activity_of(const Thread& thread) const noexcept;
  void settle(Thread& thread, int64_t at_ns);
  void set_state(Thread& thread, WorkerState state, TaskId task, int64_t at_ns);
  void continue_from(Thread& thread, Ref cause, int64_t until_ns, ChainLabel label);
  void begin_task(uint32_t life, const StepRow& row, uint32_t thread);
  void suspend_task(Life& life, const StepRow& row, uint32_t thread);
  void end_task(uint32_t life, const StepRow& row, uint32_t thread);
  void end_wait_of_program(Thread& thread, const WaitRow& row);
  void begin_team_wait(Thread& thread, const WaitRow& row);
  void end_team_wait(Thread& thread, const WaitRow& row);
  void join_region(Thread& thread, int64_t at_ns);
  void begin_region(const RegionRow& row);
  void end_region(uint32_t region, int64_t at_ns);
  bool is_worker_of_starpu(const Thread& thread) const noexcept;

  ChainNodes nodes_;
  ChainNodes spans_{0, false};
  Ref root_ = kNone;
  Ref span_root_ = spans_.make_root(0);
  bool has_started_ = false;
  int64_t begin_ns_ = 0;
  int64_t end_ns_ = 0;
  Ref latest_end_ = kNone;  // the chain at end_ns_
  Ref latest_task_ = kNone;
  Ref latest_openmp_task_ = kNone;
  Ref longest_ = kNone;

  std::vector<Life> lives_;
  std::vector<uint32_t> free_lives_;
  DenseTable<uint32_t> tasks_;  // places in lives_
  DenseTable<uint32_t> groups_;
  std::vector<Steps> steps_;
  std::vector<uint32_t> free_steps_;
  std::vector<Link> links_;
  std::vector<uint32_t> free_links_;

  std::vector<Worker> workers_;
  std::vector<WorkerId> workers_to_begin_;
  IdleWorkers idle_;

  std::vector<Thread> threads_;
  IdTable<uint32_t> thread_by_id_;
  uint32_t first_opener_ = kNone;  // of a region
  std::vector<Region> regions_;
  std::vector<uint32_t> free_regions_;
  std::vector<uint32_t> open_regions_;  // in the order of their begins
  IdTable<uint32_t> region_by_number_;

  Chain chain_;
  int64_t longest_ns_ = 0;
  std::vector<KindTime> longest_kinds_;
};

}  // namespace perseid
