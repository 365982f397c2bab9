// starpu_hooks/decode/context.h: what the parts of the decoder share.
#pragma once

#include "starpu_hooks/decode/calls.h"
#include "starpu_hooks/decode/categories.h"
#include "starpu_hooks/decode/counters.h"
#include "starpu_hooks/decode/data.h"
#include "starpu_hooks/decode/dependencies.h"
#include "starpu_hooks/decode/names.h"
#include "starpu_hooks/decode/task_life.h"
#include "starpu_hooks/decode/workers.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

struct Totals {
  uint64_t submissions = 0;
  uint64_t refused = 0;  // starpu_task_submit returned an error
  uint64_t executions = 0;
  uint64_t without_submission = 0;    // executions
  uint64_t unfinished = 0;            // submitted tasks with work to do
  uint64_t unknown_transactions = 0;  // whose dependencies cannot be known
};

struct Parts {
  explicit Parts(Model& built)
      : model(built),
        names(built),
        data(built, now_ns),
        tasks(built.tasks, now_ns),
        workers(built, now_ns),
        calls(built),
        counters(built),
        dependencies(built, data, tasks) {}

  void set_state(const Worker& worker, WorkerState state, int64_t at_ns, TaskId task = 0) {
    model.worker_states.set(worker.model_id, state, at_ns, task);
  }

  Model& model;
  int64_t now_ns = 0;           // time of the record that is read
  uint64_t now_ticks = 0;       // and what its clock showed
  bool has_scheduling = false;  // the hooks of policies report
  Names names;
  DataTable data;
  TaskTable tasks;
  Workers workers;
  Calls calls;
  Counters counters;
  Dependencies dependencies;
  Totals totals;
};

}  // namespace perseid::starpu::decoding
