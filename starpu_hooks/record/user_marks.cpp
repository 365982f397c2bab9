// starpu_hooks/record/user_marks.cpp: annotations that programs already carry for StarPU's own
// tracing.
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK void starpu_fxt_trace_user_event(unsigned long code) {
  emit(kind(kUserEvent), 0, uint64_t{code});
  api().starpu_fxt_trace_user_event(code);
}

PERSEID_HOOK void starpu_fxt_trace_user_event_string(const char* text) {
  if (is_recording()) emit(kind(kUserText), intern(text));
  api().starpu_fxt_trace_user_event_string(text);
}

PERSEID_HOOK void starpu_fxt_start_profiling() {
  emit(kind(kFxtStart), 0);
  api().starpu_fxt_start_profiling();
}

PERSEID_HOOK void starpu_fxt_stop_profiling() {
  emit(kind(kFxtStop), 0);
  api().starpu_fxt_stop_profiling();
}

PERSEID_HOOK void starpu_iteration_push(unsigned long iteration) {
  if (is_recording()) emit(kind(kIterationPush), current_context(), uint64_t{iteration});
  api().starpu_iteration_push(iteration);
}

PERSEID_HOOK void starpu_iteration_pop() {
  if (is_recording()) emit(kind(kIterationPop), current_context());
  api().starpu_iteration_pop();
}
