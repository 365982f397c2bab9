// starpu_hooks/execution.cpp: see execution.h.
#include "starpu_hooks/execution.h"

#include <cmath>

#include "starpu_hooks/hook.h"
#include "starpu_hooks/runtime.h"

namespace perseid::starpu {

namespace {

bool is_asynchronous(const Codelet* codelet, Architecture architecture,
                     unsigned implementation) noexcept {
  const CodeletLayout& at = layout().codelet;
  const Constants& constants = layout().constants;
  if (implementation >= at.implementations) return false;
  const auto flags = [&](uint16_t array) {
    return field<char>(codelet, static_cast<uint16_t>(array + implementation));
  };
  if (architecture == Architecture::kOpencl)
    return (flags(at.opencl_flags) & constants.opencl_async) != 0;
  if (architecture == Architecture::kCuda)
    return (flags(at.cuda_flags) & constants.cuda_async) != 0;
  return false;
}

/// Which of the recorded lengths this run belongs to. StarPU has it ready if it uses the model.
uint64_t footprint_of(Task* task, const Codelet* codelet, int worker,
                      unsigned implementation) noexcept {
  if (!records_everything()) return 0;
  auto* model = field<PerformanceModel*>(codelet, layout().codelet.model);
  if (!model) return 0;
  const StarpuApi& starpu = api();
  const auto context = field<unsigned>(task, layout().task.context);
  void* architecture = starpu.starpu_worker_get_perf_archtype(worker, context);
  return starpu.starpu_task_footprint(model, task, architecture, implementation);
}

}  // namespace

Execution::Execution(KernelFunction kernel) noexcept {
  const StarpuApi& starpu = api();
  Task* task = starpu.starpu_task_get_current();
  worker_ = starpu.starpu_worker_get_id();
  if (!task) return;
  Worker* notes = this_worker(worker_);
  if (!notes || notes->is_executing) return;
  const auto* codelet = field<const Codelet*>(task, layout().task.codelet);
  if (!codelet) return;
  task_ = task;
  notes_ = notes;
  notes->is_executing = true;

  const unsigned implementation = starpu.starpu_task_get_implementation(task);
  const bool is_async = is_asynchronous(codelet, notes->architecture, implementation);
  const uint64_t how = halves(implementation, is_async ? uint32_t{kExecAsync} : 0);
  const int size = starpu.starpu_combined_worker_get_size();
  const auto predicted = field<double>(task, layout().task.predicted);
  const uint64_t footprint = footprint_of(task, codelet, worker_, implementation);
  if (size <= 1 && footprint == 0 && std::isnan(predicted)) {
    const auto function = reinterpret_cast<uint64_t>(kernel);
    if (how == 0) {
      emit(kind(kExecBegin), bits(worker_), word(task), function);
    } else {
      emit(kind(kExecBegin), bits(worker_), word(task), function, how);
    }
    return;
  }
  const int combined = size > 1 ? starpu.starpu_combined_worker_get_id() : -1;
  emit(kind(kExecBegin), bits(worker_), word(task), reinterpret_cast<uint64_t>(kernel), how,
       halves(bits(combined), bits(size)), word(predicted),
       field<uint64_t>(task, layout().task.predicted_transfer), footprint);
}

Execution::~Execution() {
  if (!task_) return;
  emit(kind(kExecEnd), bits(worker_), word(task_));
  notes_->is_executing = false;
}

}  // namespace perseid::starpu
