// starpu_hooks/decode/dependencies.h: which task waits for which: by data, by task, by tag.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "starpu_hooks/decode/calls.h"
#include "starpu_hooks/decode/data.h"
#include "starpu_hooks/decode/payload.h"
#include "starpu_hooks/decode/task_life.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

/// StarPU's sequential consistency, replayed from the accesses of each submission, and what the
/// program declared. Does nothing if no arrows are wanted.
class Dependencies {
 public:
  Dependencies(Model& model, DataTable& data, TaskTable& tasks)
      : model_(&model), data_(&data), tasks_(&tasks) {}

  /// The task gets its node, and what was declared for it before.
  void begin(TaskLife& life);
  /// Replays its accesses, once. Tasks that StarPU submits inside a submission come before the
  /// outer one: call this when the outer one returns or shows signs of life.
  void order(TaskLife& life);
  /// The program takes part in the order when it acquires data.
  void order_acquisition(Call& call, uint64_t handle, uint32_t mode);

  void declare_for_task(uint32_t when, const Payload& words);
  void declare_for_tag(const Payload& words);
  void change_tag(Thread& thread, int64_t at_ns, uint32_t change, uint64_t tag);

  /// A task or moment begins to be shown; arrows may start there.
  void open(DependencyNode& node, int64_t begin_ns);
  /// The arrows of a slice that is about to go to the sink. `target` is its own node.
  void draw_incoming(std::vector<NodeRef>& waits_for, const DependencyNode* target, int64_t at_ns,
                     std::vector<FlowEnd>& flows);
  void draw_outgoing(const NodeRef& node, std::vector<FlowEnd>& flows);
  void clear();

 private:
  struct Tag {
    NodeRef node;
    std::vector<NodeRef> waits_for;
  };

  NodeRef node_of_task(uint64_t address);
  /// Is it `sought`, or does it end with it, over however many?
  bool ends_with(const NodeRef& node, const DependencyNode* sought);
  Tag& tag(uint64_t id);

  Model* model_;
  DataTable* data_;
  TaskTable* tasks_;
  std::unordered_map<uint64_t, NodeRef> declared_;  // tasks that are to be submitted yet
  std::unordered_map<uint64_t, std::vector<NodeRef>> declared_waits_;
  std::unordered_map<uint64_t, Tag> tags_;
  uint64_t last_mark_ = 0;
};

}  // namespace perseid::starpu::decoding
