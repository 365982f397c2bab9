// starpu_hooks/decode/task_life.h: the lives of tasks, and which of them an address means.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "timeline/drawing/dependency.h"
#include "timeline/drawing/track.h"
#include "timeline/model/id_table.h"

namespace perseid::starpu::decoding {

inline constexpr int64_t kNever = -1;
inline constexpr int32_t kNoWorker = -1;

struct Access {
  uint64_t handle;
  uint32_t mode;
  uint64_t bytes;
};

/// From one submission on. Executions that are being shown keep it alive.
struct TaskLife {
  uint64_t address = 0;
  uint64_t id = 0;        // 1, 2, ... in order of submission
  std::string_view name;  // never empty
  uint64_t codelet = 0;
  int32_t priority = 0;
  uint32_t context = 0;
  uint32_t flags = 0;  // SubmitFlag
  uint64_t tag = 0;
  double flops = 0;
  std::vector<Access> accesses;
  std::array<uint64_t, 2> iterations{};
  uint8_t iteration_depth = 0;

  bool was_submitted = false;  // its submission is recorded
  bool is_internal = false;    // StarPU submitted it while it did something else
  bool has_work = true;        // false: no codelet, or one that runs nowhere
  TrackId submitted_by = 0;
  int64_t submit_ns = kNever;
  FlowEnd submission{};  // the arrow from there; id 0: none

  int64_t push_ns = kNever;
  TrackId pushed_by = 0;
  int32_t pushed_by_worker = kNoWorker;
  int64_t pop_ns = kNever;
  bool is_ready = false;  // pushed and not yet taken

  uint32_t executions = 0;  // ranks of parallel tasks counted each
  uint32_t running = 0;     // of them, now
  bool is_finished = false;

  NodeRef node;
  std::vector<NodeRef> waits_for;
  bool is_ordered = false;  // `waits_for` has what its data asks for
};
using LifeRef = std::shared_ptr<TaskLife>;

/// An address cannot be submitted again before its task has ended: it means the latest
/// submission.
class TaskTable {
 public:
  /// A life for the address, instead of the one before.
  const LifeRef& begin(uint64_t address) {
    LifeRef& slot = by_address_[address];
    slot = std::make_shared<TaskLife>();
    slot->address = address;
    slot->id = ++last_id_;
    return slot;
  }
  /// Null if the address has no life now.
  LifeRef find(uint64_t address) {
    const LifeRef* const found = by_address_.find(address);
    return found != nullptr ? *found : nullptr;
  }
  void end(uint64_t address) { by_address_.erase(address); }
  void clear() { by_address_ = {}; }

 private:
  IdTable<LifeRef> by_address_;
  uint64_t last_id_ = 0;
};

}  // namespace perseid::starpu::decoding
