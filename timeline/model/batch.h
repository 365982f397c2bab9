// timeline/model/batch.h: rows of one window of time, and who takes them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "timeline/model/rows.h"

namespace perseid {

class NameIds;

/// Everything that happened from begin_ns to end_ns. Steps are in order of time, windows too; of
/// the other rows those that have an end come when it is known.
struct ModelBatch {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  const NameIds* names = nullptr;  // valid as long as the walk's model; only grows
  std::vector<TaskRow> tasks;
  std::vector<AccessRow> accesses;
  std::vector<StepRow> steps;
  std::vector<ExecutionRow> executions;
  std::vector<EdgeRow> edges;
  std::vector<DataRow> data;
  std::vector<WorkerRow> workers;
  std::vector<StretchRow> stretches;
  std::vector<WaitRow> waits;
  std::vector<RegionRow> regions;
  std::vector<TransferRow> transfers;
  std::vector<MessageRow> messages;
  std::vector<DeviceRow> device_work;
  std::vector<CpuTimeRow> cpu_times;

  template <class Use>
  void for_each_table(Use&& use) {
    use(tasks), use(accesses), use(steps), use(executions), use(edges), use(data), use(workers);
    use(stretches), use(waits), use(regions), use(transfers), use(messages), use(device_work);
    use(cpu_times);
  }
};

/// A batch lives until its last holder lets go: a sink may keep it for another thread.
using BatchRef = std::shared_ptr<const ModelBatch>;

/// Analyses, tables and drawings are sinks of batches.
class ModelSink {
 public:
  virtual ~ModelSink() = default;
  virtual void take(const BatchRef& batch) = 0;
  /// Once, after the last batch. The names stay valid as long as the walk's model.
  virtual void finish(const NameIds& names) = 0;
};

}  // namespace perseid
