// tests/run/openmp/programs/forgetful_runtime.cpp: plays an OpenMP runtime that does not know where
// it was called. LLVM's forgets it now and then: a thread that leaves a critical section takes away
// what the first thread has noted.
#include <dlfcn.h>

#include <cstring>
#include <map>

#include "ompt/record/api.h"

using namespace perseid::ompt;

namespace {

std::map<CallbackId, Function> g_callbacks;
Data g_implicit_task{};
StartToolResult* g_tool = nullptr;

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

void implicit_task(Endpoint endpoint) {
  call(CallbackId::kImplicitTask, endpoint, static_cast<Data*>(nullptr), &g_implicit_task, 1u, 1u,
       static_cast<int>(kTaskInitial));
}

constexpr const void* kForgotten = nullptr;

}  // namespace

extern "C" int start_runtime(const char* tool) {
  void* const library = dlopen(tool, RTLD_NOW);
  if (!library) return 0;
  using Start = StartToolResult* (*)(unsigned, const char*);
  const auto start = reinterpret_cast<Start>(dlsym(library, "ompt_start_tool"));
  g_tool = start ? start(202111, "forgetful runtime") : nullptr;
  if (!g_tool || g_tool->initialize(lookup, 0, &g_tool->tool_data) == 0) return 0;
  implicit_task(Endpoint::kBegin);
  return 1;
}

extern "C" void end_runtime() {
  implicit_task(Endpoint::kEnd);
  g_tool->finalize(&g_tool->tool_data);
}

extern "C" void set_and_unset_lock() {
  constexpr uint64_t kLock = 0x10;
  // An address of the runtime's own says as little as none.
  const auto* const inside = reinterpret_cast<const void*>(&set_callback);
  call(CallbackId::kMutexAcquire, MutexKind::kLock, 0u, 0u, kLock, inside);
  call(CallbackId::kMutexAcquired, MutexKind::kLock, kLock, inside);
  call(CallbackId::kMutexReleased, MutexKind::kLock, kLock, inside);
}

extern "C" void run_task() {
  Data task{};
  call(CallbackId::kTaskCreate, &g_implicit_task, static_cast<const void*>(nullptr), &task,
       static_cast<int>(kTaskExplicit), 0, kForgotten);
  call(CallbackId::kTaskSchedule, &g_implicit_task, TaskStatus::kSwitch, &task);
  call(CallbackId::kTaskSchedule, &task, TaskStatus::kComplete, &g_implicit_task);
}

extern "C" void wait(unsigned kind) {
  for (const Endpoint endpoint : {Endpoint::kBegin, Endpoint::kEnd}) {
    call(CallbackId::kSyncRegion, static_cast<SyncKind>(kind), endpoint,
         static_cast<Data*>(nullptr), &g_implicit_task, kForgotten);
  }
}
