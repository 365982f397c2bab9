// starpu_hooks/decode/dependencies.h: which task waits for which: by data, by task, by tag.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "starpu_hooks/decode/data.h"
#include "starpu_hooks/decode/payload.h"
#include "starpu_hooks/decode/task_life.h"
#include "timeline/drawing/model.h"

namespace perseid::starpu::decoding {

/// StarPU's sequential consistency, replayed from the accesses of each submission, and what the
/// program declared. Writes edges; how many of them are drawn is not its concern.
class Dependencies {
 public:
  Dependencies(Model& model, DataTable& data, TaskTable& tasks)
      : model_(&model), data_(&data), tasks_(&tasks) {}

  /// The task is submitted: what was declared for it before holds now.
  void begin(const TaskLife& life, int64_t at_ns);
  /// Replays its accesses. Tasks that StarPU submits inside a submission come before the outer one:
  /// call this when the outer one returns or shows signs of life.
  void order(const TaskLife& life, int64_t at_ns);
  /// One access that is no task's, such as that of the program when it acquires data. False: the
  /// mode has no place in the order.
  bool order(Tasks::Ref node, uint64_t handle, uint32_t mode, int64_t at_ns);

  /// The mode of an access takes part in the order of its data.
  static bool has_place(uint32_t mode);

  void declare_for_task(uint32_t when, const Payload& words, int64_t at_ns);
  void declare_for_tag(const Payload& words);
  void change_tag(Thread& thread, int64_t at_ns, uint32_t change, uint64_t tag);
  void clear(int64_t at_ns);
  /// The program declares dependencies between tasks, perhaps on some that have ended.
  bool has_declared() const noexcept { return has_declared_; }

 private:
  /// Who waits for the tag waits for `node`, a group that its task joins when it is submitted.
  struct Tag {
    Tasks::Ref node = Tasks::kNone;   // a group that its task will join, if somebody waits for it
    Tasks::Ref owner = Tasks::kNone;  // the task that represents it
    std::vector<Tasks::Ref> waits_for;
  };
  /// A task that was named before its submission.
  struct Declared {
    Tasks::Ref node = Tasks::kNone;  // a group that it will join; who waits for it waits for that
    std::vector<Tasks::Ref> waits_for;
    std::vector<Tasks::Ref> ends_with;
  };

  Tasks::Ref node_of_task(uint64_t address);
  Tasks::Ref node_of_tag(uint64_t id);
  void give(Tag& to, Tasks::Ref owner, int64_t at_ns);
  void release(Tag& tag, int64_t at_ns);
  void release_all(std::vector<Tasks::Ref>& nodes, int64_t at_ns);

  Model* model_;
  DataTable* data_;
  TaskTable* tasks_;
  std::unordered_map<uint64_t, Declared> declared_;  // by address
  std::unordered_map<uint64_t, Tag> tags_;
  bool has_declared_ = false;
};

}  // namespace perseid::starpu::decoding
