// ompt/decode/task_decoder.h: explicit tasks: creation, execution, dependences, end.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ompt/decode/context.h"

namespace perseid::ompt {

class TaskDecoder {
 public:
  explicit TaskDecoder(Context& context) : context_(&context) {}

  void create(ThreadStack& stack, Moment now, uint32_t flags, std::span<const uint64_t> words);
  void depend(Moment now, uint64_t id, std::span<const uint64_t> dependences);
  void switch_to(ThreadStack& stack, Moment now, uint64_t next);
  void switch_to_implicit(ThreadStack& stack, Moment now);
  void end(ThreadStack& stack, Moment now, uint32_t status, std::span<const uint64_t> words);
  /// The task whose id ends like this, or for 0 the implicit one, goes on; the one above it is
  /// complete.
  void return_to(ThreadStack& stack, Moment now, uint32_t lower_half);
  void note(ThreadStack& stack, Moment now, uint32_t status, uint64_t id);

 private:
  void leave_above(ThreadStack& stack, Moment now, size_t index);
  void start(ThreadStack& stack, Moment now, uint64_t id);
  void describe(OpenSlice& slice, const Task& task, Moment now);
  void draw_dependences(const Task& task, Moment now, std::vector<FlowEnd>& to);
  void complete(Task& task, ThreadStack& stack, Moment now, int64_t source_begin_ns,
                std::vector<FlowEnd>& flows);
  void leave(WaitedTasks& waited, uint32_t stream, Moment now, int64_t source_begin_ns,
             std::vector<FlowEnd>& flows);
  Task* find_explicit(uint64_t id);
  uint64_t code_of(const Task* creator, uint64_t code, uint64_t ticks);

  Context* context_;
  std::vector<FlowEnd> scratch_;
};

}  // namespace perseid::ompt
