// starpu_hooks/decode/counters.h: how many tasks and workers are doing what, over time.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "timeline/drawing/counter.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

/// Made when StarPU first shows itself, so that their rows are in this order.
class Counters {
 public:
  explicit Counters(Model& model)
      : submitted(model.tracks, model.sink, "submitted tasks", "tasks"),
        ready(model.tracks, model.sink, "ready tasks", "tasks"),
        running(model.tracks, model.sink, "running tasks", "tasks"),
        idle_workers(model.tracks, model.sink, "idle workers", "workers"),
        bytes_in_flight(model.tracks, model.sink, "bytes in flight", "bytes"),
        model_(&model) {}

  /// Bytes allocated on a memory node.
  Counter& allocated(uint32_t node, std::string_view node_name) {
    const auto known = allocated_.find(node);
    if (known != allocated_.end()) return known->second;
    return allocated_
        .try_emplace(node, model_->tracks, model_->sink, "allocated: " + std::string(node_name),
                     "bytes")
        .first->second;
  }
  void reset_allocated(int64_t at_ns) {
    for (auto& [node, counter] : allocated_) counter.set(at_ns, 0);
  }

  Counter submitted;  // and not finished
  Counter ready;      // handed to the policy and not yet taken by a worker
  Counter running;
  Counter idle_workers;
  Counter bytes_in_flight;

 private:
  Model* model_;
  std::map<uint32_t, Counter> allocated_;
};

}  // namespace perseid::starpu::decoding
