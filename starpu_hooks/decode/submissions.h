// starpu_hooks/decode/submissions.h: tasks on their way in, and threads that wait.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "starpu_hooks/decode/context.h"
#include "starpu_hooks/decode/payload.h"

namespace perseid::starpu::decoding {

class Submissions {
 public:
  explicit Submissions(Parts& parts) : parts_(&parts) {}

  void begin(Thread& thread, int64_t at_ns, uint32_t name, const Payload& words);
  void add_accesses(const Payload& words);
  void end(Thread& thread, int64_t at_ns, uint32_t result, const Payload& words);

  void begin_wait(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words);
  void end_wait(Thread& thread, int64_t at_ns, uint32_t kind, const Payload& words);

  void push_iteration(int64_t at_ns, uint32_t context, uint64_t iteration);
  void pop_iteration(int64_t at_ns, uint32_t context);

  /// A task that has nothing to execute has ended.
  void complete_workless(Thread& thread, int64_t at_ns, TaskLife& life) {
    complete(thread, at_ns, life, 0);
  }
  /// The task can run: what it waited for has ended, also tasks that leave no other trace.
  void settle_waits(Thread& thread, int64_t at_ns, const TaskLife& life) {
    settle(thread, at_ns, life, 0);
  }
  /// Counts it once, when its work is done or it will never be.
  void count_finished(int64_t at_ns, TaskLife& life);
  void finish(int64_t end_ns);

 private:
  struct Iterations {
    Lane lane;
    struct Open {
      uint64_t number;
      std::string name;
      Lane::Handle slice = 0;
    };
    std::deque<Open> open{};  // the innermost last
  };

  void read(TaskLife& life, uint32_t name, const Payload& words);
  void read_accesses(TaskLife& life, std::span<const uint64_t> words);
  void describe_wait(ArgumentList& arguments, uint32_t kind, const Payload& words);
  void complete(Thread& thread, int64_t at_ns, TaskLife& life, int depth);
  void settle(Thread& thread, int64_t at_ns, const TaskLife& life, int depth);

  Parts* parts_;
  std::unordered_map<uint32_t, Iterations> iterations_;  // by context
};

}  // namespace perseid::starpu::decoding
