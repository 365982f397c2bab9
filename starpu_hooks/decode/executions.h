// starpu_hooks/decode/executions.h: tasks on workers, from the scheduler to the callback.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/lives.h"
#include "starpu_hooks/decode/payload.h"
#include "starpu_hooks/decode/scheduling.h"
#include "starpu_hooks/decode/task_arguments.h"

namespace perseid::starpu::decoding {

class Executions {
 public:
  Executions(Parts& parts, Lives& lives, Scheduling& scheduling)
      : parts_(&parts), lives_(&lives), scheduling_(&scheduling), arguments_(parts) {}

  void begin(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  void end(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  void pushed_output(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  void begin_callback(Thread& thread, int64_t at_ns, const Payload& words);
  void end_callback(Thread& thread, int64_t at_ns, const Payload& words);
  void forget_task(Thread& thread, int64_t at_ns, uint64_t task);
  /// The address is submitted again: its previous execution must have ended; its end record is
  /// lost.
  void close_stale(uint64_t task, int64_t at_ns);

  /// At the end of the trace, or when StarPU is gone.
  void close_all(int64_t end_ns);

 private:
  /// The latest function that a combined worker called.
  struct ParallelRun {
    LifeRef life;
    uint32_t master;
    int64_t left_ns = kNever;  // when the master had passed the barrier at the end
  };

  void read(Execution& execution, const Payload& words);
  void note_steal(Worker& worker, Execution& execution);
  void finish(Worker& worker, size_t index, int64_t end_ns);
  void close_lost(uint64_t task, int64_t at_ns, std::string_view why);
  void add_member(Worker& worker, int64_t begin_ns, int64_t end_ns);
  void leave_team(const Worker& worker, int64_t at_ns);
  LifeRef find_team(const Worker& worker, int64_t begin_ns);

  Parts* parts_;
  Lives* lives_;
  Scheduling* scheduling_;
  TaskArguments arguments_;
  std::unordered_map<int32_t, ParallelRun> parallel_runs_;  // by combined worker
};

}  // namespace perseid::starpu::decoding
