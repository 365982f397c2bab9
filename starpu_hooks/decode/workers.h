// starpu_hooks/decode/workers.h: StarPU's workers and their lanes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "starpu_hooks/decode/payload.h"
#include "starpu_hooks/decode/task_life.h"
#include "starpu_hooks/events.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

/// StarPU has NaN, or 0, where its performance model has no answer.
inline bool is_prediction(double us) noexcept {
  constexpr double kMaxUs = 1e12;  // no task takes eleven days
  return us > 0 && us < kMaxUs;
}

/// A codelet's function at work, until its kernel has ended.
struct Execution {
  LifeRef life;
  Lane::Handle slice = 0;
  Thread* thread = nullptr;  // whose code it is, until the function returns
  int64_t begin_ns = 0;
  int64_t pop_ns = kNever;
  int64_t fetch_begin_ns = kNever;  // of the first copy it waited for
  int64_t fetched_ns = kNever;
  uint64_t function = 0;
  uint32_t implementation = 0;
  bool is_async = false;
  bool is_first_rank = true;
  int32_t combined_worker = kNoWorker;
  uint32_t size = 1;  // workers that take part
  double predicted_us = 0;
  double predicted_transfer_us = 0;
  uint64_t footprint = 0;
  int32_t stolen_from = kNoWorker;
  int64_t returned_ns = kNever;  // of an asynchronous kernel: the function is over
};

struct Worker {
  /// A task on its way through the worker, as its policy hooks name it.
  struct Step {
    uint64_t task = 0;
    int64_t at_ns = kNever;
  };

  uint32_t id = 0;
  WorkerId model_id = 0;  // as rows name it
  ThreadId thread = 0;
  std::string label;  // "CPU 3", without its place
  Architecture architecture = Architecture::kCpu;
  uint32_t memory_node = 0;
  Lane* lane = nullptr;
  int64_t known_since_ns = kNever;
  bool is_busy = false;
  std::vector<Step> popped;         // and not yet fetched
  Step fetched;                     // task 0: none is between fetching and executing
  int64_t pop_ns = kNever;          // of the task in `fetched`
  int64_t fetch_begin_ns = kNever;  // the first copy for it; kNever: there was none
  int64_t copy_ns = kNever;         // the first copy since the latest task was taken
  int64_t latest_copy_ns = kNever;
  WorkerState state_around = WorkerState::kIdle;  // what it did before the callback
  std::vector<Execution> executions;              // the innermost last
  Step ended;  // the latest execution, until its outputs are pushed
  bool has_ended_parallel = false;
};

class Workers {
 public:
  Workers(Model& model, const int64_t& now_ns) : model_(&model), now_ns_(&now_ns) {}

  /// After each start of StarPU the same numbers mean other threads.
  void begin_run() noexcept;
  void end_run(int64_t at_ns);
  uint32_t runs() const noexcept { return runs_; }

  void set_worker(int64_t at_ns, uint32_t id, const Payload& words);
  void set_combined(uint32_t id, const Payload& words);
  void bind(Thread& thread, uint32_t id);

  /// The worker a record on `thread` speaks of. Its lane is the thread's, unless the thread is
  /// another worker's: several streams of one device may share a thread.
  Worker& at(Thread& thread, uint32_t id);
  /// Null on threads that are no workers.
  Worker* of(const Thread& thread);
  Worker* find(uint32_t id);
  bool is_combined(int32_t id) const { return combined_.contains(static_cast<uint32_t>(id)); }
  bool is_member(int32_t combined, uint32_t worker) const;
  /// "CPU 3", "worker 7" if it is unknown.
  std::string label(int32_t id);
  std::deque<Worker>& all() noexcept { return workers_; }

 private:
  Worker& get(uint32_t id);
  void show(Worker& worker);
  void give_own_lane(Worker& worker);
  void show_unused(int64_t end_ns);
  void add_row(const Worker& worker);

  Model* model_;
  const int64_t* now_ns_;
  uint32_t runs_ = 0;
  std::deque<Worker> workers_;  // of this run; they never move
  std::unordered_map<uint32_t, Worker*> by_id_;
  std::unordered_map<const Thread*, Worker*> by_thread_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> combined_;
  std::unordered_map<uint32_t, int64_t> cpus_;   // by worker
  std::deque<std::unique_ptr<Lane>> own_lanes_;  // of workers that have no thread to themselves
};

}  // namespace perseid::starpu::decoding
