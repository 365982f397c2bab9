// timeline/drawing/current_tasks.h: what a thread is working on now, whichever runtime gave it.
//
// The decoder of a runtime that runs tasks sets what begins and ends; the decoder of a device asks
// on whose behalf the thread calls it. So neither knows the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/drawing/flows.h"
#include "timeline/drawing/lanes.h"

namespace perseid {

struct CurrentTask {
  Lane* lane = nullptr;
  Lane::Handle slice = 0;  // open on `lane`
  uint64_t id = 0;         // as its runtime's slices name it; 0: not numbered
  FlowEnd out{};           // the arrow to the calls it makes; id 0: none yet

  std::string_view name() const { return (*lane)[slice].name; }

  /// The end that comes in at a call of this task's. All its calls hang on one outgoing end.
  FlowEnd arrow_to(Flows& flows, int64_t at_ns) {
    OpenSlice& from = (*lane)[slice];
    if (out.id == 0) {
      out = flows.start(from.begin_ns, from.begin_ns, FlowKind::kDeviceCall);
      from.flows.push_back(out);
    }
    return arrival_of(out, at_ns);
  }
};

/// Of one thread. Tasks of several runtimes nest: the innermost counts.
class CurrentTasks {
 public:
  void begin(Lane& lane, Lane::Handle slice, uint64_t id) {
    tasks_.push_back({&lane, slice, id, {}});
  }
  /// The task's code no longer runs here, or its slice is about to be closed. Nothing if it is
  /// unknown.
  void end(const Lane& lane, Lane::Handle slice) noexcept {
    for (size_t i = tasks_.size(); i-- > 0;) {
      if (tasks_[i].lane != &lane || tasks_[i].slice != slice) continue;
      tasks_.erase(tasks_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }
  /// The number of the innermost; 0: none, or not numbered.
  uint64_t current_id() const noexcept { return tasks_.empty() ? 0 : tasks_.back().id; }
  /// Null: none.
  CurrentTask* innermost() noexcept { return tasks_.empty() ? nullptr : &tasks_.back(); }

  /// The runtime whose thread this is: what it does outside tasks it does for the runtime.
  std::string_view owner;

 private:
  std::vector<CurrentTask> tasks_;
};

}  // namespace perseid
