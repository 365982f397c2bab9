// starpu_hooks/record/execution.h: one run of a codelet's function on a worker.
#pragma once

#include "starpu_hooks/record/starpu/starpu_api.h"

namespace perseid::starpu {

struct Worker;

/// Records the begin, and the end when it goes. Records nothing if the function was not called
/// for a task: on no worker, or from inside another codelet.
class Execution {
 public:
  explicit Execution(KernelFunction kernel) noexcept;
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

 private:
  Task* task_ = nullptr;
  Worker* notes_ = nullptr;
  int worker_ = -1;
};

/// An execution of a codelet that could not be wrapped, called from the policy's hooks before and
/// after this worker runs a task. An execution then ends a little late: when the task's data are
/// released. Nothing happens for codelets that are wrapped.
void begin_unwrapped_execution() noexcept;
void end_unwrapped_execution() noexcept;

}  // namespace perseid::starpu
