// ompt/decode/context.h: what the parts of the decoder share.
#pragma once

#include <memory>
#include <vector>

#include "ompt/decode/construct_names.h"
#include "ompt/decode/counters.h"
#include "ompt/decode/task_table.h"
#include "ompt/decode/thread_stack.h"

namespace perseid::ompt {

inline constexpr Category kParallelCategory{"openmp.parallel", SliceRole::kPhase};
inline constexpr Category kTaskCategory{"openmp.task", SliceRole::kWork};
inline constexpr Category kCreateCategory{"openmp.create", SliceRole::kSubmission};
inline constexpr Category kWaitCategory{"openmp.wait", SliceRole::kWait};
inline constexpr Category kWorkCategory{"openmp.work", SliceRole::kWork};
inline constexpr Category kMutexCategory{"openmp.mutex"};
inline constexpr Category kTargetCategory{"openmp.target"};
inline constexpr Category kNoteCategory{"openmp"};

/// One record, with its moment on both clocks.
struct Moment {
  int64_t ns;
  uint64_t ticks;
};

struct Context {
  explicit Context(Model& to) : model(to), names(to.symbols), counters(to) {}

  ThreadStack& stack(Thread& thread) {
    // Not by the stream: its number comes from the file and may be any.
    const size_t index = thread.lane.track();
    if (stacks.size() <= index) stacks.resize(index + 1);
    if (!stacks[index]) stacks[index] = std::make_unique<ThreadStack>(model, tasks, thread);
    return *stacks[index];
  }

  /// A construct without an address of its own is named after the task that contains it.
  std::string_view name(Construct construct, ThreadStack& stack, uint64_t code, Moment now) {
    if (!names.is_telling(code, now.ticks)) {
      const Task* const task = stack.running();
      code = task != nullptr ? task->code : 0;
    }
    return names.of(construct, code, now.ticks);
  }

  /// After a record of the thread: it may have become idle, or have begun to run a task.
  void count_state(ThreadStack& stack, int64_t at_ns) {
    const bool is_waiting = !stack.is_empty() && stack.back().kind == FrameKind::kWait;
    const bool is_idle = stack.is_alive && (is_waiting || (stack.is_worker && stack.is_empty()));
    if (is_idle != stack.is_counted_idle) {
      counters.idle.add(at_ns, is_idle ? 1 : -1);
      stack.is_counted_idle = is_idle;
    }
    const size_t task = is_waiting ? ThreadStack::kNone : stack.innermost_task();
    const bool is_running = task != ThreadStack::kNone && stack[task].kind == FrameKind::kTask;
    if (is_running != stack.is_counted_running) {
      counters.running.add(at_ns, is_running ? 1 : -1);
      stack.is_counted_running = is_running;
    }
  }

  Model& model;
  ConstructNames names;
  TaskTable tasks;
  Counters counters;
  std::vector<std::unique_ptr<ThreadStack>>
      stacks;  // by the threads' tracks, which are in order of streams
};

}  // namespace perseid::ompt
