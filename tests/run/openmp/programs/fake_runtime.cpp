// tests/run/openmp/programs/fake_runtime.cpp: plays an OpenMP runtime with devices. No runtime of
// Debian 12 that clang 14 can build for delivers target events; this program calls the tool as
// LLVM 19's runtime does.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "ompt/record/api.h"

using namespace perseid::ompt;

namespace {

std::map<CallbackId, Function> g_callbacks;

int set_callback(CallbackId event, Function callback) {
  g_callbacks[event] = callback;
  constexpr int kAlways = 5;
  return kAlways;
}

Function lookup(const char* name) {
  return std::strcmp(name, "ompt_set_callback") == 0 ? reinterpret_cast<Function>(set_callback)
                                                     : nullptr;
}

template <class... Arguments>
void call(CallbackId event, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(g_callbacks.at(event))(arguments...);
}

void target_region() {
  Data task{}, target_task{}, target{};
  uint64_t host_operation = 0;
  const void* here = __builtin_return_address(0);
  char host[64] = "", device[64] = "";
  constexpr int kHost = 4, kDevice = 0;
  const auto data = [&](Endpoint endpoint, DataOperation operation, size_t bytes) {
    call(CallbackId::kTargetDataOpEmi, endpoint, &target_task, &target, &host_operation, operation,
         static_cast<void*>(host), kHost, static_cast<void*>(device), kDevice, bytes, here);
  };
  const auto both = [&](DataOperation operation, size_t bytes) {
    data(Endpoint::kBegin, operation, bytes);
    data(Endpoint::kEnd, operation, bytes);
  };
  call(CallbackId::kTargetEmi, TargetKind::kTarget, Endpoint::kBegin, kDevice, &task, &target_task,
       &target, here);
  both(DataOperation::kAlloc, 4096);
  both(DataOperation::kToDevice, 4096);
  call(CallbackId::kTargetSubmitEmi, Endpoint::kBegin, &target, &host_operation, 12u);
  call(CallbackId::kTargetSubmitEmi, Endpoint::kEnd, &target, &host_operation, 12u);
  both(DataOperation::kFromDevice, 1024);
  both(DataOperation::kDelete, 0);
  call(CallbackId::kTargetEmi, TargetKind::kTarget, Endpoint::kEnd, kDevice, &task, &target_task,
       &target, here);
}

}  // namespace

int main(int, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) return std::printf("%s\n", dlerror()), 1;
  using Start = StartToolResult* (*)(unsigned, const char*);
  const auto start = reinterpret_cast<Start>(dlsym(library, "ompt_start_tool"));
  StartToolResult* tool = start ? start(202111, "fake runtime") : nullptr;
  if (!tool) return std::puts("no tool"), 0;
  if (tool->initialize(lookup, 4, &tool->tool_data) == 0) return 1;
  Data thread{}, task{};
  call(CallbackId::kThreadBegin, ThreadType::kInitial, &thread);
  call(CallbackId::kImplicitTask, Endpoint::kBegin, static_cast<Data*>(nullptr), &task, 1u, 1u, 1);
  call(CallbackId::kDeviceInitialize, 0, "generic-64bit", static_cast<Device*>(nullptr), lookup,
       static_cast<const char*>(nullptr));
  for (int i = 0; i < 3; ++i) target_region();
  call(CallbackId::kError, 2u, "something is odd", size_t{16}, static_cast<const void*>(nullptr));
  call(CallbackId::kImplicitTask, Endpoint::kEnd, static_cast<Data*>(nullptr), &task, 0u, 1u, 1);
  call(CallbackId::kThreadEnd, &thread);
  tool->finalize(&tool->tool_data);
  std::puts("done");
}
