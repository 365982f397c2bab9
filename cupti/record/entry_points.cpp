// cupti/record/entry_points.cpp: how CUDA finds us: by a variable that the driver reads, or because
// another runtime has found a CUDA device.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "cupti/record/collector.h"
#include "plugin/session/loaded_files.h"
#include "plugin/session/session.h"
#include "plugin/session/unrecorded.h"
#include "plugin/settings/fixed_text.h"

namespace perseid::cupti {

namespace {

constexpr char kInjection[] = "CUDA_INJECTION64_PATH";
constexpr char kNvtxInjection[] = "NVTX_INJECTION64_PATH";

/// The driver loads the library that the variable names and calls InitializeInjection while the
/// program initializes CUDA. It costs nothing in programs without CUDA. Other tools use it too: if
/// it is taken, we come later.
void name_ourselves_in(const char* variable) noexcept {
  Dl_info facts;
  if (dladdr(reinterpret_cast<void*>(&name_ourselves_in), &facts) && facts.dli_fname)
    setenv(variable, facts.dli_fname, 0);
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
  name_ourselves_in(kInjection);
  if (g_origin.settings.nvtx) name_ourselves_in(kNvtxInjection);
}

/// StarPU has CUDA workers, or OpenMP a device. Only if CUDA itself is in the process: we never
/// load it.
void on_device_found() noexcept {
  const SystemCallGuard guard;
  if (g_collector.state.load() != State::kIdle) return;
  if (void* cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(cuda);
    begin_collecting(true);
  }
}

void explain(bool has_recorded) noexcept {
  if (has_recorded || g_origin.settings.cuda == CudaChoice::kOff || !is_loaded("libcuda.so"))
    return;
  if (g_collector.state.load() != State::kIdle)
    return report_unrecorded(Unrecorded::kReported, "");  // why CUPTI gave up
  Line line;
  line << ProgramName().text << " is linked with CUDA, but made no CUDA call";
  report_unrecorded(Unrecorded::kIdle, line.c_str());
}

}  // namespace perseid::cupti

/// Called by the NVTX in the program before its first range. CUPTI has a function of this name that
/// takes the ranges; which file it is in is known only now.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(void* nvtx) {
  const perseid::SystemCallGuard guard;
  void* library = perseid::cupti::open_library();
  void* entry = library ? dlsym(library, "InitializeInjectionNvtx2") : nullptr;
  return entry ? reinterpret_cast<int (*)(void*)>(entry)(nvtx) : 0;
}

/// Called by the CUDA driver. Not zero: we are content.
extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  perseid::cupti::begin_collecting(false);
  return 1;
}
