// starpu_hooks/decode/calls.h: calls into StarPU and callbacks, as they nest on each thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

enum class CallKind : uint8_t { kInit, kShutdown, kSubmission, kWait, kCallback };

struct Call {
  CallKind kind;
  uint64_t key;  // what its end repeats: a task or a kind of wait
  Lane::Handle slice;
  uint64_t object = 0;  // what a wait is for
  TaskId task = 0;      // of a wait for data: the acquisition, which has a place in the order;
                        // of a synchronous submission: what is submitted
  int64_t wait_begin_ns = -1;  // of a synchronous submission: it waits since then; -1: not known
};

/// An end that is missing shows when a call around it ends, or when its thread is known to have
/// lost records.
class Calls {
 public:
  explicit Calls(Model& model) : model_(&model) {}

  /// Opens the slice too. Valid until the next call of this class.
  Call& open(Thread& thread, int64_t at_ns, CallKind kind, uint64_t key, std::string_view name,
             const Category& category);
  /// The innermost open call of that kind and key, null if there is none (counted). Closes
  /// what is inside it; the caller finishes the slice and calls close().
  Call* find_ending(Thread& thread, int64_t at_ns, CallKind kind, uint64_t key);
  /// After find_ending(): the innermost call of the thread ends.
  void close(Thread& thread, int64_t at_ns);
  /// The innermost call, null if there is none.
  Call* innermost(Thread& thread, int64_t at_ns);
  /// StarPU itself is at work on the thread, not a callback of the program.
  bool is_in_starpu(Thread& thread, int64_t at_ns);
  void finish(int64_t end_ns);

 private:
  struct Stack {
    std::vector<Call> calls;  // the innermost last
    uint64_t lost = 0;        // records of its thread, as far as they are dealt with
  };

  Stack& stack_of(Thread& thread, int64_t at_ns);
  void close_lost(Thread& thread, Stack& stack, int64_t at_ns);

  Model* model_;
  std::unordered_map<Thread*, Stack> stacks_;
};

}  // namespace perseid::starpu::decoding
