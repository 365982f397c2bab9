// starpu_hooks/decode/task_arguments.cpp: from what is known of a task to arguments of its slice.
#include "starpu_hooks/decode/task_arguments.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>

#include "starpu_hooks/events.h"

namespace perseid::starpu::decoding {
namespace {

constexpr std::array<std::string_view, 16> kDataKeys = {
    "data_0", "data_1", "data_2",  "data_3",  "data_4",  "data_5",  "data_6",  "data_7",
    "data_8", "data_9", "data_10", "data_11", "data_12", "data_13", "data_14", "data_15"};

void add_interval(ArgumentList& arguments, std::string_view key, int64_t from_ns, int64_t to_ns) {
  if (from_ns != kNever && to_ns >= from_ns) arguments.append({key, to_ns - from_ns});
}

}  // namespace

void TaskArguments::add(ArgumentList& arguments, const Worker& worker, const Execution& execution,
                        int64_t end_ns) {
  const TaskLife& life = *execution.life;
  add_identity(arguments, execution);
  if (life.was_submitted) {
    arguments.append(
        {"submitted_by", std::string_view(parts_->model.tracks[life.submitted_by].name)});
  } else {
    arguments.append({"submission", std::string_view("not recorded")});
  }
  add_waits(arguments, execution);
  if (life.pushed_by != 0) {
    arguments.append({"pushed_by", std::string_view(parts_->model.tracks[life.pushed_by].name)});
  }
  if (execution.stolen_from != kNoWorker) {
    arguments.append(
        {"stolen_from", std::string_view(parts_->workers.label(execution.stolen_from))});
  }
  arguments.append({"memory_node", parts_->names.memory_node(worker.memory_node)});
  add_data(arguments, life);
  add_prediction(arguments, execution, end_ns - execution.begin_ns);
  if (execution.returned_ns != kNever) {
    arguments.append({"function_ns", execution.returned_ns - execution.begin_ns});
  }
}

void TaskArguments::add_identity(ArgumentList& arguments, const Execution& execution) {
  const TaskLife& life = *execution.life;
  arguments.append({"task", life.id});
  const CodeletFacts* const codelet = parts_->names.codelet(life.codelet);
  if (codelet != nullptr && codelet->name != 0) {
    arguments.append({"codelet", parts_->model.strings.text(codelet->name)});
  }
  if (execution.function != 0) {
    arguments.append({"function", parts_->names.function(execution.function)});
  }
  if (execution.implementation != 0) {
    arguments.append({"implementation", uint64_t{execution.implementation}});
  }
  if (codelet != nullptr && codelet->model != 0) {
    arguments.append({"model", parts_->model.strings.text(codelet->model)});
  }
  if (life.was_submitted && (life.flags & kFieldsUnknown) == 0) {
    arguments.append({"priority", int64_t{life.priority}});
    arguments.append({"context", uint64_t{life.context}});
    const std::string_view policy = parts_->names.policy(life.context);
    if (!policy.empty()) arguments.append({"policy", policy});
  }
  if ((life.flags & (kHasTag | kTagIsLabel)) != 0) arguments.append({"tag", life.tag});
  if (life.iteration_depth > 0) {
    text_.clear();
    for (uint8_t i = 0; i < life.iteration_depth; ++i) {
      fmt::format_to(std::back_inserter(text_), "{}{}", i > 0 ? "." : "", life.iterations[i]);
    }
    arguments.append({"iteration", std::string_view(text_)});
  }
  if ((life.flags & kOnSpecificWorker) != 0) arguments.append({"chosen_worker", true});
  if (execution.size > 1) {
    arguments.append({"parallel_workers", uint64_t{execution.size}});
    if (execution.combined_worker != kNoWorker) {
      arguments.append({"combined_worker", int64_t{execution.combined_worker}});
    }
  } else if (life.runs > 1) {
    arguments.append({"execution", uint64_t{life.runs}});
  }
}

void TaskArguments::add_data(ArgumentList& arguments, const TaskLife& life) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < life.accesses.size(); ++i) {
    const Access& access = life.accesses[i];
    bytes += access.bytes;
    if (i >= kDataKeys.size()) continue;
    arguments.append(
        {kDataKeys[i], parts_->data.describe_access(access.handle, access.mode, access.bytes)});
  }
  if (life.accesses.size() > kDataKeys.size()) {
    arguments.append({"data_count", uint64_t{life.accesses.size()}});
  }
  if (bytes > 0) arguments.append({"data_bytes", bytes});
}

void TaskArguments::add_prediction(ArgumentList& arguments, const Execution& execution,
                                   int64_t duration_ns) {
  const double flops = execution.life->flops;
  if (std::isfinite(flops) && flops > 0) {
    arguments.append({"flops", flops});
    if (duration_ns > 0) {
      arguments.append({"gflops_per_second", flops / static_cast<double>(duration_ns)});
    }
  }
  if (execution.footprint != 0) {
    text_ = fmt::format("{:08x}", execution.footprint);
    arguments.append({"footprint", std::string_view(text_)});
  }
  if (is_prediction(execution.predicted_us)) {
    const double predicted_ns = 1000 * execution.predicted_us;
    const double error = 100 * (static_cast<double>(duration_ns) - predicted_ns) / predicted_ns;
    arguments.append({"predicted_ns", static_cast<int64_t>(predicted_ns)});
    arguments.append({"longer_than_predicted_percent", std::round(10 * error) / 10});
  }
  if (is_prediction(execution.predicted_transfer_us)) {
    arguments.append(
        {"predicted_transfer_ns", static_cast<int64_t>(1000 * execution.predicted_transfer_us)});
  }
}

void TaskArguments::add_waits(ArgumentList& arguments, const Execution& execution) {
  const TaskLife& life = *execution.life;
  add_interval(arguments, "wait_ns", life.submit_ns, execution.begin_ns);
  const int64_t ready_ns = parts_->model.tasks.ready_ns(life.ref);
  if (ready_ns != kNever) {
    add_interval(arguments, "wait_dependencies_ns", life.submit_ns, ready_ns);
    add_interval(arguments, "wait_queue_ns", ready_ns,
                 execution.pop_ns != kNever ? execution.pop_ns : execution.begin_ns);
  }
  add_interval(arguments, "wait_fetch_ns", execution.fetch_begin_ns, execution.fetched_ns);
}

}  // namespace perseid::starpu::decoding
