// tests/doubles/cuda/driver.cpp: loads the injected tool as the CUDA driver does.
#include "tests/doubles/cuda/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

using namespace perseid::cupti;

namespace fake_cuda {

const DoubleControl* g_cupti = nullptr;
thread_local uint32_t t_device = 0;

namespace {

std::atomic<uint32_t> g_next_correlation{1};

}  // namespace

void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* tool = std::getenv("CUDA_INJECTION64_PATH")) {
      if (void* library = dlopen(tool, RTLD_NOW)) {
        if (void* entry = dlsym(library, "InitializeInjection"))
          reinterpret_cast<int (*)()>(entry)();
      }
    }
    const char* path = std::getenv("PERSEID_CUPTI");
    void* cupti = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    void* control = cupti ? dlsym(cupti, "perseid_double_control") : nullptr;
    if (control) g_cupti = reinterpret_cast<const DoubleControl* (*)()>(control)();
    for (uint32_t device = 0; device < 2; ++device) {
      ContextActivity context{};
      context.kind = ActivityKind::kContext;
      context.context = kContextBase + device;
      context.device = device;
      context.null_stream = 7;
      deliver(context, 0);
    }
  });
}

uint64_t now() { return g_cupti ? g_cupti->now() : 0; }

Call::Call(Domain domain, uint32_t id, const char* function)
    : domain_(domain), id_(id), function_(function), correlation(g_next_correlation++) {
  if (g_cupti) g_cupti->call(domain_, id_, function_, correlation, CallbackSite::kEnter, 0);
}

Call::~Call() {
  if (g_cupti) g_cupti->call(domain_, id_, function_, correlation, CallbackSite::kExit, result);
}

}  // namespace fake_cuda
