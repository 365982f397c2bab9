// tests/stream/row_sink.h: keeps the rows of a walk, for tests to look at.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "timeline/model/batch.h"
#include "timeline/model/names.h"

namespace perseid::test {

/// Copies of all rows in the order in which they came. `accesses` of a task are not moved: their
/// places are those in its batch.
class RowSink final : public ModelSink {
 public:
  void take(const BatchRef& batch) override {
    ++batches;
    append(tasks, batch->tasks);
    append(steps, batch->steps);
    append(executions, batch->executions);
    append(edges, batch->edges);
    append(data, batch->data);
    append(workers, batch->workers);
    append(stretches, batch->stretches);
    append_ended(waits, batch->waits);
    append_ended(regions, batch->regions);
    append(transfers, batch->transfers);
    append_ended(messages, batch->messages);
    append(device_work, batch->device_work);
    append(cpu_times, batch->cpu_times);
  }
  void finish(const NameIds& names) override {
    for (NameId id = 1; !names.text(id).empty(); ++id) texts.emplace_back(names.text(id));
  }

  std::string text(NameId name) const { return name != 0 ? texts.at(name - 1) : ""; }
  /// Kinds of the steps of a node, in order.
  std::vector<StepKind> steps_of(NodeId node) const {
    std::vector<StepKind> kinds;
    for (const StepRow& step : steps) {
      if (step.task == node) kinds.push_back(step.kind);
    }
    return kinds;
  }
  /// The tasks that `node` waits for, directly or over groups, each once, in order of ids.
  std::vector<TaskId> predecessors(NodeId node) const {
    std::multimap<NodeId, NodeId> into;
    for (const EdgeRow& edge : edges) into.emplace(edge.to, edge.from);
    std::map<NodeId, bool> seen;
    std::vector<NodeId> left = {node};
    while (!left.empty()) {
      const auto [first, last] = into.equal_range(left.back());
      left.pop_back();
      for (auto at = first; at != last; ++at) {
        if (!seen.emplace(at->second, true).second) continue;
        if (is_group(at->second)) left.push_back(at->second);
      }
    }
    std::vector<TaskId> found;
    for (const auto& [from, is_seen] : seen) {
      if (!is_group(from)) found.push_back(from);
    }
    return found;
  }

  size_t batches = 0;
  std::vector<TaskRow> tasks;
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
  std::vector<std::string> texts;

 private:
  /// Not those that have only begun.
  template <class Row>
  static void append_ended(std::vector<Row>& to, const std::vector<Row>& from) {
    for (const Row& row : from) {
      if (row.end_ns != kNotYet) to.push_back(row);
    }
  }
  template <class Row>
  static void append(std::vector<Row>& to, const std::vector<Row>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
};

}  // namespace perseid::test
