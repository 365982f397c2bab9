// starpu_hooks/record/execution.cpp: begin and end records, with worker, implementation and
// accesses.
#include "starpu_hooks/record/execution.h"

#include <cmath>

#include "starpu_hooks/record/codelet_wrap.h"
#include "starpu_hooks/record/hook.h"
#include "starpu_hooks/record/runtime.h"

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

/// True if the kernel goes on after its function has returned.
bool record_begin(Task* task, const Codelet* codelet, KernelFunction kernel, int worker,
                  Architecture architecture) noexcept {
  const StarpuApi& starpu = api();
  const unsigned implementation = starpu.starpu_task_get_implementation(task);
  const bool is_async = is_asynchronous(codelet, architecture, implementation);
  const uint64_t how = halves(implementation, is_async ? uint32_t{kExecAsync} : 0);
  const int size = starpu.starpu_combined_worker_get_size();
  const auto predicted = field<double>(task, layout().task.predicted);
  const uint64_t footprint = footprint_of(task, codelet, worker, implementation);
  const auto function = reinterpret_cast<uint64_t>(kernel);
  if (size > 1 || footprint != 0 || !std::isnan(predicted)) {
    const int combined = size > 1 ? starpu.starpu_combined_worker_get_id() : -1;
    emit(kind(kExecBegin), bits(worker), word(task), function, how,
         halves(bits(combined), bits(size)), word(predicted),
         field<uint64_t>(task, layout().task.predicted_transfer), footprint);
  } else if (how == 0) {
    emit(kind(kExecBegin), bits(worker), word(task), function);
  } else {
    emit(kind(kExecBegin), bits(worker), word(task), function, how);
  }
  return is_async;
}

void end_unwrapped(Worker& notes, int worker) noexcept {
  if (!notes.unwrapped) return;
  emit(kind(kExecEnd), bits(worker), word(notes.unwrapped));
  notes.unwrapped = nullptr;
  notes.is_executing = false;
}

}  // namespace

Execution::Execution(KernelFunction kernel) noexcept {
  const StarpuApi& starpu = api();
  Task* task = starpu.starpu_task_get_current();
  worker_ = starpu.starpu_worker_get_id();
  if (!task) return;
  Worker* notes = this_worker(worker_);
  if (!notes) return;
  // Of an execution that ended without the policy's hook, such as a task that is continued later.
  if (notes->unwrapped != task) end_unwrapped(*notes, worker_);
  if (notes->is_executing) return;
  const auto* codelet = field<const Codelet*>(task, layout().task.codelet);
  if (!codelet) return;
  task_ = task;
  notes_ = notes;
  notes->is_executing = true;
  record_begin(task, codelet, kernel, worker_, notes->architecture);
}

Execution::~Execution() {
  if (!task_) return;
  emit(kind(kExecEnd), bits(worker_), word(task_));
  notes_->is_executing = false;
}

void begin_unwrapped_execution() noexcept {
  const StarpuApi& starpu = api();
  Task* task = starpu.starpu_task_get_current();
  const int worker = starpu.starpu_worker_get_id();
  Worker* notes = this_worker(worker);
  if (!task || !notes) return;
  if (notes->unwrapped != task) end_unwrapped(*notes, worker);
  if (notes->is_executing) return;
  const auto* codelet = field<const Codelet*>(task, layout().task.codelet);
  if (!codelet) return;
  const KernelFunction kernel =
      unwrapped_function(codelet, notes->architecture, starpu.starpu_task_get_implementation(task));
  if (!kernel) return;
  notes->is_executing = true;
  notes->unwrapped = task;
  // Several asynchronous kernels may be under way on one worker. The decoder takes their ends from
  // the policy's hook in any case.
  if (record_begin(task, codelet, kernel, worker, notes->architecture))
    end_unwrapped(*notes, worker);
}

void end_unwrapped_execution() noexcept {
  const int worker = api().starpu_worker_get_id();
  if (Worker* notes = this_worker(worker)) end_unwrapped(*notes, worker);
}

}  // namespace perseid::starpu
