// tests/run/openmp/programs/forgotten.cpp: forgotten RUNTIME TOOL: calls a runtime that does not
// know where it was called.
#include <dlfcn.h>

#include <cstdio>

#include "ompt/numbers.h"

namespace {

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

int main(int count, char** words) {
  using perseid::ompt::SyncKind;
  void* const runtime = count == 3 ? dlopen(words[1], RTLD_NOW) : nullptr;
  if (!runtime || !find<int(const char*)>(runtime, "start_runtime")(words[2])) return 1;
  auto* const set_and_unset_lock = find<void()>(runtime, "set_and_unset_lock");
  auto* const run_task = find<void()>(runtime, "run_task");
  auto* const wait = find<void(unsigned)>(runtime, "wait");
  set_and_unset_lock();                                     // at: lock
  run_task();                                               // at: task
  wait(static_cast<unsigned>(SyncKind::kTaskwait));         // at: taskwait
  wait(static_cast<unsigned>(SyncKind::kBarrierExplicit));  // at: barrier
  wait(static_cast<unsigned>(SyncKind::kTaskgroup));        // at: taskgroup
  find<void()>(runtime, "end_runtime")();
  std::puts("done");
}
