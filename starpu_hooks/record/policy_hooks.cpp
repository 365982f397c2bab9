// starpu_hooks/record/policy_hooks.cpp: replaces push, pop and exec hooks in each context's copy of
// its policy.
#include "starpu_hooks/record/policy_hooks.h"

#include <sched.h>

#include "plugin/record/writable.h"
#include "starpu_hooks/record/codelet_wrap.h"
#include "starpu_hooks/record/execution.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

namespace perseid::starpu {

namespace {

using Push = int (*)(Task*);
using Pop = Task* (*)(unsigned context);
using ExecHook = void (*)(Task*, unsigned context);

/// A policy's own functions. Null where it has none.
struct Originals {
  std::atomic<Push> push{nullptr};
  std::atomic<Pop> pop{nullptr};
  std::atomic<ExecHook> pre_exec{nullptr};
  std::atomic<ExecHook> post_exec{nullptr};
};
constinit Originals g_originals[kMaxContexts];
constinit std::atomic<bool> g_is_hooking{false};
/// Contexts whose tasks get a kPush.
constinit std::atomic<bool> g_sees_pushes[kMaxContexts]{};

/// Nearly always it is context 0, and a word that is left out reads as 0.
void record_on_worker(Event event, int worker, const Task* task, unsigned context) noexcept {
  if (context == 0) return emit(kind(event), bits(worker), word(task));
  emit(kind(event), bits(worker), word(task), uint64_t{context});
}

int push(Task* task) {
  const auto context = perseid::starpu::field<unsigned>(task, layout().task.context);
  const Push original = g_originals[context % kMaxContexts].push.load(std::memory_order_acquire);
  if (!is_recording()) return original(task);
  // Tasks that StarPU made itself are seen here for the first time.
  wrap_codelet(task);
  emit(kind(kPush), context, word(task));
  const int result = original(task);
  emit(kind(kPushEnd), bits(result), word(task));
  return result;
}

/// The second word of kPop and kIdle. `begin` is 0 where the clock was not read.
uint64_t popped_in(unsigned context, uint64_t begin) noexcept {
  const uint64_t ticks = begin != 0 ? read_ticks() - begin : 0;
  return pop_word(context, ticks);
}

Task* pop(unsigned context) {
  const Pop original = g_originals[context % kMaxContexts].pop.load(std::memory_order_acquire);
  if (!is_recording()) return original(context);
  const int worker = api().starpu_worker_get_id();
  Worker* const notes = this_worker(worker);
  // The first pop after work is timed; those of a worker that polls cost no clock.
  const uint64_t begin = notes && !notes->is_idle ? read_ticks() : 0;
  Task* const task = original(context);
  if (!notes || !is_recording()) return task;
  if (task) {
    const uint64_t place = popped_in(context, begin);
    if (place == 0)
      emit(kind(kPop), bits(worker), word(task));
    else
      emit(kind(kPop), bits(worker), word(task), place);
  } else if (!notes->is_idle) {
    // Idle workers poll: record only the first failed pop.
    emit(kind(kIdle), bits(worker), popped_in(context, begin));
  }
  notes->is_idle = !task;
  return task;
}

void record_exec_hook(Event event, const Task* task, unsigned context) noexcept {
  const int worker = api().starpu_worker_get_id();
  this_worker(worker);
  record_on_worker(event, worker, task, context);
}

void pre_exec(Task* task, unsigned context) {
  const auto& place = g_originals[context % kMaxContexts].pre_exec;
  const ExecHook original = place.load(std::memory_order_acquire);
  if (is_recording() && records_everything()) record_exec_hook(kPreExec, task, context);
  if (original) original(task, context);
  if (is_recording() && has_read_only_codelets()) begin_unwrapped_execution();
}

void post_exec(Task* task, unsigned context) {
  const auto& place = g_originals[context % kMaxContexts].post_exec;
  const ExecHook original = place.load(std::memory_order_acquire);
  if (has_read_only_codelets()) end_unwrapped_execution();
  if (is_recording()) record_exec_hook(kPostExec, task, context);
  if (original) original(task, context);
}

template <class Function>
Function* place_in(Policy* policy, uint16_t offset) noexcept {
  return reinterpret_cast<Function*>(reinterpret_cast<std::byte*>(policy) + offset);
}

/// Workers may call the policy meanwhile: they find the old function, or ours with the old one
/// in its place.
template <class Function>
void replace(Function* place, std::atomic<Function>& original, Function ours) noexcept {
  const Function theirs = __atomic_load_n(place, __ATOMIC_RELAXED);
  if (theirs == ours) return;
  original.store(theirs, std::memory_order_release);
  __atomic_store_n(place, ours, __ATOMIC_RELEASE);
}

bool has_devices() noexcept {
  // Main memory is one node; a second one is a device's, a disk's or another NUMA node's.
  return g_runtime.memory_nodes.load(std::memory_order_relaxed) > 1;
}

}  // namespace

void hook_policy(unsigned context) noexcept {
  // Without details only the end of asynchronous kernels is wanted from the policy, and executions
  // of codelets that could not be wrapped.
  const bool wants_all = records_everything();
  const bool wants_begins = wants_all || has_read_only_codelets();
  if (!layout().has_policies || context >= kMaxContexts || !(wants_begins || has_devices())) return;
  Policy* policy = api().starpu_sched_ctx_get_sched_policy(context);
  if (!policy) {
    if (g_sees_pushes[context].load(std::memory_order_relaxed))
      g_sees_pushes[context].store(false);  // the number was another context's
    return;
  }
  const PolicyLayout& at = layout().policy;
  auto* last = place_in<ExecHook>(policy, at.post_exec_hook);
  auto* begin = place_in<ExecHook>(policy, at.pre_exec_hook);
  if (__atomic_load_n(last, __ATOMIC_RELAXED) == post_exec &&
      (!wants_begins || __atomic_load_n(begin, __ATOMIC_RELAXED) == pre_exec))
    return;
  if (!is_writable(last)) return;

  while (g_is_hooking.exchange(true, std::memory_order_acquire)) sched_yield();
  Originals& originals = g_originals[context];
  if (wants_all) {
    auto* push_place = place_in<Push>(policy, at.push_task);
    auto* pop_place = place_in<Pop>(policy, at.pop_task);
    if (*push_place) {
      replace(push_place, originals.push, &push);
      g_sees_pushes[context].store(true);
    }
    // A policy without pop_task means: take only what was pushed to the worker itself.
    if (*pop_place) replace(pop_place, originals.pop, &pop);
  }
  if (wants_begins) replace(begin, originals.pre_exec, &pre_exec);
  replace(last, originals.post_exec, &post_exec);
  g_is_hooking.store(false, std::memory_order_release);
  g_runtime.is_context_announced[context].store(false);
}

}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

/// StarPU and its policies call it when they have put a task in a queue, with locks of the
/// scheduler taken. Most tasks have come by `push`.
PERSEID_HOOK int starpu_push_task_end(Task* task) {
  if (is_recording() && records_everything() && layout().has_tasks && layout().has_policies) {
    const auto context = perseid::starpu::field<unsigned>(task, layout().task.context);
    const bool sees_push =
        context < kMaxContexts && g_sees_pushes[context].load(std::memory_order_relaxed);
    if (!sees_push || is_set(task, layout().task.on_specific_worker))
      emit(kind(kReady), context, word(task));
  }
  return api().starpu_push_task_end(task);
}
