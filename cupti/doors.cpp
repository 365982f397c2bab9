// cupti/doors.cpp: how CUDA finds us: by a variable that the driver reads, or because another
// runtime has found a CUDA device.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "cupti/collector.h"
#include "plugin/session.h"

namespace perseid::cupti {

namespace {

constexpr char kInjection[] = "CUDA_INJECTION64_PATH";
constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";

/// The driver loads the library that the variable names and calls InitializeInjection while the
/// program initializes CUDA. It costs nothing in programs without CUDA. Other tools use it too: if
/// it is taken, we come later.
void ask_driver_to_call() noexcept {
  Dl_info facts;
  if (dladdr(reinterpret_cast<void*>(&ask_driver_to_call), &facts) && facts.dli_fname)
    setenv(kInjection, facts.dli_fname, 0);
}

}  // namespace

/// When the library arms.
void start() noexcept {
  Collector& c = g_collector;
  // A forked child has its parent's subscription in its memory, but none of CUPTI's threads: every
  // call could wait for ever.
  if (c.state.load() != State::kIdle) c.state.store(State::kOff);
  c.is_flushing.store(false);
  if (g_origin.settings.cuda == CudaChoice::kOff) return;
  ask_driver_to_call();
  // NVTX in the program hands its ranges to the library that this names.
  if (g_origin.settings.nvtx) setenv(kNvtxInjection, "libcupti.so", 0);
}

/// StarPU has CUDA workers, or OpenMP a device. Only if CUDA itself is in the process: we never
/// load it.
void meet_device() noexcept {
  const SystemCallGuard guard;
  if (g_collector.state.load() != State::kIdle) return;
  if (void* cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(cuda);
    begin_collecting(true);
  }
}

}  // namespace perseid::cupti

/// Called by the CUDA driver. Not zero: we are content.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  perseid::cupti::begin_collecting(false);
  return 1;
}
