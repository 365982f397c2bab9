// starpu_hooks/decode/scheduling.h: tasks between readiness and a worker, and what workers do then.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/lives.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

class Scheduling {
 public:
  Scheduling(Parts& parts, Lives& lives) : parts_(&parts), lives_(&lives) {}

  void push(Thread& thread, int64_t at_ns, const Payload& words);
  /// A task that no policy is asked about is in the queue of its worker.
  void set_ready(Thread& thread, int64_t at_ns, const Payload& words);
  void push_end(Thread& thread, int64_t at_ns, const Payload& words);
  void pop(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  void go_idle(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  /// The worker has all that its task needs.
  void fetched(Thread& thread, int64_t at_ns, uint32_t worker_id, const Payload& words);
  /// A copy begins on the thread: a worker that has taken a task waits for its data from here on.
  void begin_copy(const Thread& thread, int64_t at_ns);

  void set_busy(Worker& worker, bool is_busy, int64_t at_ns);
  /// A stretch of a worker's time around an execution, if it is long enough to be seen.
  void add_phase(Worker& worker, int64_t begin_ns, int64_t end_ns, std::string_view name,
                 const Category& category, uint64_t task);

 private:
  /// The worker was in its scheduler since the call began that ends with this record.
  void begin_pop(const Worker& worker, int64_t at_ns, uint64_t word);

  struct OpenPush {
    uint64_t task = 0;
    int64_t begin_ns = 0;
    LifeRef life;  // by the end of the push its address may mean another one
  };

  Parts* parts_;
  Lives* lives_;
  std::unordered_map<const Thread*, OpenPush> pushes_;
};

}  // namespace perseid::starpu::decoding
