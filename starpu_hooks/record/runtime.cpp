// starpu_hooks/record/runtime.cpp: finds the layout once, and records what there is after each
// start.
#include "starpu_hooks/record/runtime.h"

#include <algorithm>
#include <cstring>

#include "plugin/session/message.h"
#include "plugin/session/producers.h"
#include "plugin/session/session.h"
#include "plugin/settings/fixed_text.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/starpu/find_starpu.h"

namespace perseid::starpu {

constinit Runtime g_runtime{};

namespace {

uint64_t abilities() noexcept {
  const Layout& known = layout();
  uint64_t found = kSeesTasks;
  if (known.has_tasks) found |= kSeesFields | kSeesExecution;
  if (records_everything() && known.has_tasks) found |= kSeesCallbacks;
  if (records_everything() && known.has_policies) found |= kSeesScheduling;
  return found;
}

void report_missing_features() noexcept {
  const Layout& known = layout();
  Line line;
  if (!known.has_tasks) {
    line << "this StarPU's layout is unknown (" << known.doubt
         << "): submissions and waits are traced, executions and their details are not";
    warn(line.c_str());
  } else if (!known.has_policies) {
    line << "this StarPU's layout is unknown (" << known.doubt
         << "): tasks are traced without scheduling";
    warn(line.c_str());
  }
  const char* file;
  void* library = find_library(file);
  if (library && reach_of(library) == Reach::kApplication) {
    Line reach;
    reach << file << " calls its own functions directly (-Bsymbolic): tasks that StarPU submits"
          << " itself, as in starpu_task_insert, are traced without their submission";
    warn(reach.c_str());
  }
}

AcquisitionShape acquisition_shape(int major, int minor, int release) noexcept {
  if (major != 1 || minor < 3) return AcquisitionShape::kUnknown;
  if (minor == 3) return AcquisitionShape::k13;
  constexpr int kBeforeNext = 90;  // 1.4.99 is what will be 1.5
  if (minor == 4) return release < kBeforeNext ? AcquisitionShape::k14 : AcquisitionShape::k15;
  return minor == 5 ? AcquisitionShape::k15 : AcquisitionShape::kUnknown;
}

Architecture architecture_of(int type) noexcept {
  const Constants& constants = layout().constants;
  if (type == constants.cpu_worker) return Architecture::kCpu;
  if (type == constants.cuda_worker) return Architecture::kCuda;
  if (type == constants.opencl_worker) return Architecture::kOpencl;
  return Architecture::kOther;
}

/// StarPU numbers the kinds of memory differently in each release; the names have stayed.
Architecture architecture_of_node(const char* name) noexcept {
  const auto starts = [name](const char* with) {
    return std::strncmp(name, with, std::strlen(with)) == 0;
  };
  if (starts("NUMA") || starts("RAM") || starts("CPU")) return Architecture::kCpu;
  if (starts("CUDA")) return Architecture::kCuda;
  if (starts("OpenCL")) return Architecture::kOpencl;
  if (starts("Disk") || starts("disk")) return Architecture::kDisk;
  return Architecture::kOther;
}

void announce_workers(const StarpuApi& starpu) noexcept {
  const unsigned count = starpu.starpu_worker_get_count();
  bool has_cuda = false;
  for (unsigned i = 0; i < count; ++i) {
    const auto id = static_cast<int>(i);
    char name[128] = "";
    starpu.starpu_worker_get_name(id, name, sizeof name);
    const Architecture architecture = architecture_of(starpu.starpu_worker_get_type(id));
    has_cuda = has_cuda || architecture == Architecture::kCuda;
    emit(kind(kWorker), i, halves(intern(name), static_cast<uint32_t>(architecture)),
         halves(starpu.starpu_worker_get_memory_node(i), bits(starpu.starpu_worker_get_devid(id))),
         static_cast<int64_t>(starpu.starpu_worker_get_bindid(id)));
  }
  if (has_cuda) announce_device();
  const unsigned combined = starpu.starpu_combined_worker_get_count();
  for (unsigned i = count; i < count + combined; ++i) {
    int size = 0;
    int* members = nullptr;
    if (starpu.starpu_combined_worker_get_description(static_cast<int>(i), &size, &members) != 0)
      continue;
    uint64_t words[kMaxRecordWords];
    const auto kept = std::min<size_t>(static_cast<size_t>(size), kMaxRecordWords);
    for (size_t j = 0; j < kept; ++j) words[j] = bits(members[j]);
    emit_words(kind(kCombinedWorker), i, words, kept);
  }
}

void announce_memory(const StarpuApi& starpu) noexcept {
  const unsigned count = starpu.starpu_memory_nodes_get_count();
  for (unsigned i = 0; i < count; ++i) {
    char name[128] = "";
    starpu.starpu_memory_node_get_name(i, name, sizeof name);
    const Architecture architecture = architecture_of_node(name);
    const int64_t bytes = std::max<int64_t>(0, starpu.starpu_memory_get_total(i));
    emit(kind(kMemoryNode), i, halves(intern(name), static_cast<uint32_t>(architecture)),
         static_cast<int64_t>(starpu.starpu_memory_node_get_devid(i)), bytes);
  }
}

}  // namespace

uint32_t intern(const char* text) noexcept {
  if (!text || !is_recording()) return 0;
  const InsideGuard guard;
  if (!guard || (!t_ring && !join_session())) return 0;
  return session().names.intern(text, strnlen(text, kMaxStringBytes));
}

void inspect_runtime() noexcept {
  const StarpuApi& starpu = api();
  if (!g_runtime.is_known.load()) {
    const SystemCallGuard guard;
    g_runtime.layout = probe_layout(starpu);
    report_missing_features();
    int major = 0, minor = 0, release = 0;
    starpu.starpu_get_version(&major, &minor, &release);
    g_runtime.known_interfaces = major == 1 && minor < 4 ? 9 : 11;
    g_runtime.acquisition = acquisition_shape(major, minor, release);
    g_runtime.is_known.store(true, std::memory_order_release);
  }
  for (Worker& worker : g_runtime.workers) worker = Worker{};
  for (auto& context : g_runtime.is_context_announced) context.store(false);
  if (!layout().has_tasks) return;
  const unsigned count = std::min(kMaxWorkers, starpu.starpu_worker_get_count());
  for (unsigned i = 0; i < count; ++i)
    g_runtime.workers[i].architecture =
        architecture_of(starpu.starpu_worker_get_type(static_cast<int>(i)));
  g_runtime.memory_nodes.store(starpu.starpu_memory_nodes_get_count());
  g_runtime.is_announced.store(false);
}

void announce_runtime() noexcept {
  if (g_runtime.is_announced.load(std::memory_order_relaxed) ||
      g_runtime.is_announced.exchange(true))
    return;
  const StarpuApi& starpu = api();
  const char* file;
  find_library(file);
  int major = 0, minor = 0, release = 0;
  starpu.starpu_get_version(&major, &minor, &release);
  const auto detail = records_everything() ? Detail::kEverything : Detail::kTasks;
  const uint64_t version = static_cast<uint64_t>(major) | static_cast<uint64_t>(minor) << 16 |
                           static_cast<uint64_t>(release) << 32;
  emit(kind(kRuntime), intern(file), version, abilities(), static_cast<uint64_t>(detail));
  if (!layout().has_tasks) return;
  announce_workers(starpu);
  announce_memory(starpu);
  announce_context(0);
}

void announce_context(unsigned context) noexcept {
  if (context >= kMaxContexts || !layout().has_tasks) return;
  auto& is_announced = g_runtime.is_context_announced[context];
  if (is_announced.load(std::memory_order_relaxed) || is_announced.exchange(true)) return;
  const StarpuApi& starpu = api();
  Policy* policy = starpu.starpu_sched_ctx_get_sched_policy(context);
  uint64_t words[kMaxRecordWords];
  words[0] = policy && layout().has_policies
                 ? intern(field<const char*>(policy, layout().policy.name))
                 : 0;
  int* members = nullptr;
  const size_t count = std::min<size_t>(
      starpu.starpu_sched_ctx_get_workers_list_raw(context, &members), kMaxRecordWords - 1);
  for (size_t i = 0; i < count; ++i) words[1 + i] = bits(members[i]);
  emit_words(kind(kContext), context, words, 1 + count);
}

unsigned current_context() noexcept {
  const unsigned chosen = api().starpu_sched_ctx_get_context();
  return chosen == layout().constants.no_context ? 0 : chosen;
}

Worker* this_worker(int worker) noexcept {
  if (worker < 0 || worker >= static_cast<int>(kMaxWorkers)) return nullptr;
  Worker& notes = g_runtime.workers[worker];
  if (!notes.is_thread_known) [[unlikely]] {
    notes.is_thread_known = true;
    emit(kind(kWorkerThread), bits(worker));
    set_thread_role(StreamRole::kWorker);
    want_cpu_time();
  }
  return &notes;
}

}  // namespace perseid::starpu
