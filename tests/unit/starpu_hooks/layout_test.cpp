// tests/unit/starpu_hooks/layout_test.cpp: the layout that is probed is the one in the headers.
#include "starpu_hooks/record/starpu/layout.h"

#include <gtest/gtest.h>
#include <starpu.h>

#include <cstddef>

#undef starpu_task_submit

namespace perseid::starpu {
namespace {

const Layout& probed() {
  // Makes the linker keep StarPU, so that there is one to ask.
  static const Layout layout = (starpu_is_initialized(), probe_layout(api()));
  return layout;
}

#define EXPECT_AT(found, type, member) EXPECT_EQ(found, offsetof(type, member)) << #member

TEST(Layout, EverythingIsFound) {
  EXPECT_TRUE(probed().has_tasks) << probed().doubt;
  EXPECT_TRUE(probed().has_policies) << probed().doubt;
  EXPECT_TRUE(probed().has_filters);
  EXPECT_EQ(probed().doubt, nullptr);
}

TEST(Layout, TasksAreAsInTheHeaders) {
  const TaskLayout& task = probed().task;
  EXPECT_EQ(task.size, sizeof(starpu_task));
  EXPECT_AT(task.codelet, starpu_task, cl);
  EXPECT_AT(task.nbuffers, starpu_task, nbuffers);
  EXPECT_AT(task.handles, starpu_task, handles);
  EXPECT_AT(task.modes, starpu_task, modes);
  EXPECT_AT(task.dyn_handles, starpu_task, dyn_handles);
  EXPECT_AT(task.dyn_modes, starpu_task, dyn_modes);
  EXPECT_AT(task.handles_sequential_consistency, starpu_task, handles_sequential_consistency);
  EXPECT_AT(task.callback, starpu_task, callback_func);
  EXPECT_AT(task.prologue, starpu_task, prologue_callback_func);
  EXPECT_AT(task.prologue_pop, starpu_task, prologue_callback_pop_func);
#if STARPU_MAJOR_VERSION > 1 || STARPU_MINOR_VERSION >= 4
  EXPECT_AT(task.epilogue, starpu_task, epilogue_callback_func);
  EXPECT_AT(task.transaction, starpu_task, transaction);
#else
  EXPECT_EQ(task.epilogue, kNotFound);
  EXPECT_EQ(task.transaction, kNotFound);
#endif
  EXPECT_AT(task.where, starpu_task, where);
  EXPECT_AT(task.tag, starpu_task, tag_id);
  EXPECT_AT(task.worker, starpu_task, workerid);
  EXPECT_AT(task.priority, starpu_task, priority);
  EXPECT_AT(task.context, starpu_task, sched_ctx);
  EXPECT_AT(task.flops, starpu_task, flops);
  EXPECT_AT(task.predicted, starpu_task, predicted);
  EXPECT_AT(task.predicted_transfer, starpu_task, predicted_transfer);
}

/// A task in which only the flag that `set` sets is set.
template <class Set>
bool is_only_flag(FlagBit flag, Set set) {
  starpu_task task;
  std::memset(&task, 0, sizeof task);
  if (is_set(&task, flag)) return false;
  set(task);
  return is_set(&task, flag);
}

TEST(Layout, FlagsAreAsInTheHeaders) {
  const TaskLayout& task = probed().task;
  EXPECT_TRUE(is_only_flag(task.use_tag, [](starpu_task& t) { t.use_tag = 1; }));
  EXPECT_TRUE(is_only_flag(task.synchronous, [](starpu_task& t) { t.synchronous = 1; }));
  EXPECT_TRUE(is_only_flag(task.detach, [](starpu_task& t) { t.detach = 1; }));
  EXPECT_TRUE(is_only_flag(task.destroy, [](starpu_task& t) { t.destroy = 1; }));
  EXPECT_TRUE(is_only_flag(task.sequential_consistency,
                           [](starpu_task& t) { t.sequential_consistency = 1; }));
  EXPECT_TRUE(is_only_flag(task.on_specific_worker,
                           [](starpu_task& t) { t.execute_on_a_specific_worker = 1; }));
}

TEST(Layout, CodeletsAreAsInTheHeaders) {
  const CodeletLayout& codelet = probed().codelet;
  EXPECT_EQ(codelet.size, sizeof(starpu_codelet));
  EXPECT_EQ(codelet.implementations, STARPU_MAXIMPLEMENTATIONS);
  EXPECT_AT(codelet.where, starpu_codelet, where);
  EXPECT_AT(codelet.cpu_funcs, starpu_codelet, cpu_funcs);
  EXPECT_AT(codelet.cuda_funcs, starpu_codelet, cuda_funcs);
  EXPECT_AT(codelet.cuda_flags, starpu_codelet, cuda_flags);
  EXPECT_AT(codelet.opencl_funcs, starpu_codelet, opencl_funcs);
  EXPECT_AT(codelet.opencl_flags, starpu_codelet, opencl_flags);
  EXPECT_AT(codelet.nbuffers, starpu_codelet, nbuffers);
  EXPECT_AT(codelet.modes, starpu_codelet, modes);
  EXPECT_AT(codelet.dyn_modes, starpu_codelet, dyn_modes);
  EXPECT_AT(codelet.model, starpu_codelet, model);
  EXPECT_AT(codelet.name, starpu_codelet, name);
}

TEST(Layout, PoliciesAndFiltersAreAsInTheHeaders) {
  const PolicyLayout& policy = probed().policy;
  EXPECT_AT(policy.push_task, starpu_sched_policy, push_task);
  EXPECT_AT(policy.pop_task, starpu_sched_policy, pop_task);
  EXPECT_AT(policy.pre_exec_hook, starpu_sched_policy, pre_exec_hook);
  EXPECT_AT(policy.post_exec_hook, starpu_sched_policy, post_exec_hook);
  EXPECT_AT(policy.name, starpu_sched_policy, policy_name);
  EXPECT_AT(probed().filter.nchildren, starpu_data_filter, nchildren);
  EXPECT_AT(probed().filter.get_nchildren, starpu_data_filter, get_nchildren);
}

TEST(Layout, ConstantsAreAsInTheHeaders) {
  const Constants& constants = probed().constants;
  EXPECT_EQ(constants.max_buffers, STARPU_NMAXBUFS);
  EXPECT_EQ(constants.variable_buffers, STARPU_VARIABLE_NBUFFERS);
  EXPECT_EQ(constants.on_cpu, static_cast<uint32_t>(STARPU_CPU));
  EXPECT_EQ(constants.on_opencl, static_cast<uint32_t>(STARPU_OPENCL));
  EXPECT_EQ(constants.nowhere, static_cast<uint32_t>(STARPU_NOWHERE));
  EXPECT_EQ(constants.opencl_worker, int{STARPU_OPENCL_WORKER});
  EXPECT_EQ(constants.opencl_async, STARPU_OPENCL_ASYNC);
  EXPECT_EQ(constants.no_context, unsigned{STARPU_NMAX_SCHED_CTXS});
}

/// StarPU's functions, but a task gets its priority in a field of another name.
TEST(Layout, AFieldThatMovesBetweenProbesMakesTheLayoutUnknown) {
  static int calls = 0;
  StarpuApi liar = api();
  liar.fstarpu_get_constant = [](const char* name) {
    const bool lies = std::strcmp(name, "FSTARPU_PRIORITY") == 0 && ++calls > 1;
    return api().fstarpu_get_constant(lies ? "FSTARPU_HYPERVISOR_TAG" : name);
  };
  const Layout layout = probe_layout(liar);
  EXPECT_FALSE(layout.has_tasks);
  EXPECT_STREQ(layout.doubt, "second probe");
}

TEST(Layout, ATaskThatIsNotWrittenWholeMakesTheLayoutUnknown) {
  StarpuApi liar = api();
  liar.starpu_task_init = [](Task* task) { *reinterpret_cast<char*>(task) = 1; };
  const Layout layout = probe_layout(liar);
  EXPECT_FALSE(layout.has_tasks);
  EXPECT_FALSE(layout.has_policies);
  EXPECT_NE(layout.doubt, nullptr);
}

TEST(Layout, HooksOfPoliciesThatAreElsewhereAreLeftAlone) {
  StarpuApi liar = api();
  liar.starpu_get_version = [](int* major, int* minor, int* release) {
    api().starpu_get_version(major, minor, release);
    *minor = *minor < 4 ? 4 : 3;
  };
  const Layout layout = probe_layout(liar);
  EXPECT_TRUE(layout.has_tasks);
  EXPECT_FALSE(layout.has_policies);
  EXPECT_STREQ(layout.doubt, "hooks of policies");
}

TEST(Layout, AStarpuThatLacksFunctionsIsNotAsked) {
  StarpuApi old = api();
  old.fstarpu_codelet_set_model = nullptr;
  const Layout layout = probe_layout(old);
  EXPECT_FALSE(layout.has_tasks);
  EXPECT_NE(layout.doubt, nullptr);
}

}  // namespace
}  // namespace perseid::starpu
