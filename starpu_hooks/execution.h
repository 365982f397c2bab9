// starpu_hooks/execution.h: one run of a codelet's function on a worker.
#pragma once

#include "starpu_hooks/starpu_api.h"

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

}  // namespace perseid::starpu
