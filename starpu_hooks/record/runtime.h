// starpu_hooks/record/runtime.h: what the hooks know of the running StarPU.
#pragma once

#include <atomic>
#include <cstdint>

#include "starpu_hooks/events.h"
#include "starpu_hooks/record/starpu/layout.h"

namespace perseid::starpu {

/// A worker's own notes. Only the thread that runs the worker touches them, except that
/// starpu_initialize clears them before the threads exist.
struct alignas(64) Worker {
  Architecture architecture = Architecture::kCpu;
  bool is_thread_known = false;  // kWorkerThread is in the capture
  bool is_executing = false;
  bool is_idle = false;             // the last pop returned no task
  const Task* unwrapped = nullptr;  // runs now, and its codelet could not be wrapped
};

inline constexpr unsigned kMaxWorkers = 1024;
inline constexpr unsigned kMaxContexts = 256;

/// The parameters of StarPU's function for acquisitions without waiting.
enum class AcquisitionShape : uint8_t { kUnknown, k13, k14, k15 };

struct Runtime {
  Layout layout;
  AcquisitionShape acquisition = AcquisitionShape::kUnknown;
  std::atomic<bool> is_known{false};  // the layout has been asked for
  unsigned known_interfaces = 0;      // data interfaces with a smaller id come with StarPU
  std::atomic<unsigned> memory_nodes{0};
  std::atomic<bool> is_announced{false};  // the machine is in the capture
  std::atomic<bool> is_context_announced[kMaxContexts]{};
  Worker workers[kMaxWorkers];
};

extern Runtime g_runtime;

/// After starpu_initialize: finds the layout, once, and forgets the workers of a StarPU that was
/// shut down. Prints in one line what cannot be seen.
void inspect_runtime() noexcept;

/// Records which StarPU this is, its workers and memory nodes, unless the capture has it already.
void announce_runtime() noexcept;
void announce_context(unsigned context) noexcept;

/// The context that this thread's tasks go to.
unsigned current_context() noexcept;

/// The notes of the worker that this thread runs, null on other threads. Records on first sight
/// which thread the worker is.
Worker* this_worker(int worker) noexcept;

inline const Layout& layout() noexcept { return g_runtime.layout; }

}  // namespace perseid::starpu
