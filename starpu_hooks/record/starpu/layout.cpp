// starpu_hooks/record/starpu/layout.cpp: finds where StarPU's fields are; tasks and codelets
// have files of their own.
#include "starpu_hooks/record/starpu/layout.h"

#include <sys/mman.h>

#include <new>

#include "starpu_hooks/record/starpu/canary.h"

namespace perseid::starpu {

namespace {

/// STARPU_VARIABLE_NBUFFERS has been -1 from the beginning; the codelet probe checks it.
constexpr int kVariableBuffers = -1;

Constants read_constants(const StarpuApi& api) noexcept {
  const auto of = [&](const char* name) { return api.fstarpu_get_constant(name); };
  Constants constants;
  constants.max_buffers = static_cast<int>(of("FSTARPU_NMAXBUFS"));
  constants.variable_buffers = kVariableBuffers;
  constants.on_cpu = static_cast<uint32_t>(of("FSTARPU_CPU"));
  constants.on_cuda = static_cast<uint32_t>(of("FSTARPU_CUDA"));
  constants.on_opencl = static_cast<uint32_t>(of("FSTARPU_OPENCL"));
  constants.nowhere = static_cast<uint32_t>(of("FSTARPU_NOWHERE"));
  constants.cpu_worker = static_cast<int>(of("FSTARPU_CPU_WORKER"));
  constants.cuda_worker = static_cast<int>(of("FSTARPU_CUDA_WORKER"));
  constants.opencl_worker = static_cast<int>(of("FSTARPU_OPENCL_WORKER"));
  constants.cuda_async = static_cast<char>(of("FSTARPU_CUDA_ASYNC"));
  constants.opencl_async = static_cast<char>(of("FSTARPU_OPENCL_ASYNC"));
  return constants;
}

bool probe_tasks(const StarpuApi& api, Canaries& canaries, Layout& layout) noexcept {
  layout.constants = read_constants(api);
  constexpr int kFewestBuffers = 4;
  if (layout.constants.max_buffers < kFewestBuffers) {
    layout.doubt = "number of buffers";
    return false;
  }
  constexpr uint64_t kSeeds[] = {0x5eed, 0xcafe};
  TaskLayout tasks[2];
  CodeletLayout codelets[2];
  for (int i = 0; i < 2; ++i) {
    if (!probe_codelet(api, layout.constants, canaries, kSeeds[i], codelets[i], layout.doubt) ||
        !probe_task(api, layout.constants, canaries, kSeeds[i], tasks[i], layout.doubt))
      return false;
  }
  layout.task = tasks[0];
  layout.codelet = codelets[0];
  layout.constants.no_context = field<unsigned>(canaries.first, layout.task.context);
  if (tasks[0] != tasks[1] || codelets[0] != codelets[1]) layout.doubt = "second probe";
  return !layout.doubt;
}

/// In some releases a small number is where others have a name.
bool is_text(const void* at, const char* expected) noexcept {
  constexpr uintptr_t kFirstPage = 4096;
  return reinterpret_cast<uintptr_t>(at) >= kFirstPage &&
         std::strcmp(static_cast<const char*>(at), expected) == 0;
}

/// A policy is a row of function pointers and then its name. StarPU 1.4 took one function out in
/// front of the hooks, later releases put others after them: the version determines where they are,
/// and a policy known to have exactly these hooks must agree.
bool probe_policies(const StarpuApi& api, Layout& layout) noexcept {
  int major = 0, minor = 0, release = 0;
  api.starpu_get_version(&major, &minor, &release);
  const bool is_old = major == 1 && minor < 4;
  constexpr auto place = [](size_t index) { return static_cast<uint16_t>(index * sizeof(void*)); };
  PolicyLayout& policy = layout.policy;
  policy.push_task = place(2);
  policy.pop_task = place(5);
  policy.pre_exec_hook = place(is_old ? 8u : 7u);
  policy.post_exec_hook = place(is_old ? 9u : 8u);

  Policy** known = api.starpu_sched_get_predefined_policies();
  for (const uint16_t name : {place(13), place(14)}) {
    for (Policy** one = known; one && *one; ++one) {
      if (!is_text(field<void*>(*one, name), "dmda")) continue;
      const auto has = [&](size_t offset) {
        return field<void*>(*one, static_cast<uint16_t>(offset)) != nullptr;
      };
      policy.name = name;
      const bool agrees = has(policy.push_task) && has(policy.pop_task) &&
                          has(policy.pre_exec_hook) && has(policy.post_exec_hook) &&
                          !has(policy.pre_exec_hook - sizeof(void*)) &&
                          !has(policy.post_exec_hook + sizeof(void*));
      if (!agrees) layout.doubt = "hooks of policies";
      return agrees;
    }
  }
  layout.doubt = "names of policies";
  return false;
}

bool probe_filters(const StarpuApi& api, Canaries& canaries, Layout& layout) noexcept {
  constexpr size_t kBytes = 3 * sizeof(void*);  // function, number, function
  constexpr int kChildren = 0x5eed5eed;
  void* const function = reinterpret_cast<void*>(0x5eed5eed7c15);
  Filter* filter = api.fstarpu_data_filter_allocate();
  canaries.before.take(filter, kBytes);
  api.fstarpu_data_filter_set_nchildren(filter, kChildren);
  api.fstarpu_data_filter_set_get_nchildren_func(filter, function);
  canaries.after.take(filter, kBytes);
  api.fstarpu_data_filter_free(filter);
  layout.filter.nchildren = canaries.after.find(kChildren, canaries.before);
  layout.filter.get_nchildren = canaries.after.find(function, canaries.before);
  return layout.filter.nchildren != kNotFound && layout.filter.get_nchildren != kNotFound;
}

}  // namespace

size_t measure(Canaries& canaries, void (*initialize)(void*, const StarpuApi&),
               const StarpuApi& api) noexcept {
  std::memset(canaries.first, 0xa5, kCanaryBytes);
  std::memset(canaries.second, 0x5a, kCanaryBytes);
  initialize(canaries.first, api);
  initialize(canaries.second, api);
  size_t size = kCanaryBytes;
  while (size > 0 && canaries.first[size - 1] != canaries.second[size - 1]) --size;
  return std::memcmp(canaries.first, canaries.second, size) == 0 ? size : 0;
}

Layout probe_layout(const StarpuApi& api) noexcept {
  Layout layout;
  if (!is_complete(api)) {
    layout.doubt = "functions of StarPU 1.3.8 or later";
    return layout;
  }
  void* room =
      mmap(nullptr, sizeof(Canaries), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    layout.doubt = "memory for the probe";
    return layout;
  }
  auto& canaries = *new (room) Canaries;
  layout.has_tasks = probe_tasks(api, canaries, layout);
  layout.has_policies = layout.has_tasks && probe_policies(api, layout);
  layout.has_filters = layout.has_tasks && probe_filters(api, canaries, layout);
  munmap(room, sizeof(Canaries));
  return layout;
}

}  // namespace perseid::starpu
