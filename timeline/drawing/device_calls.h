// timeline/drawing/device_calls.h: the host's calls to a device, and the work that came of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "timeline/drawing/device.h"
#include "timeline/model/recent_by_id.h"

namespace perseid {

/// Who called a device, for the slices of the work that the call caused.
struct DeviceCall {
  FlowEnd out{};            // the arrow to the work
  std::string_view task;    // outlives the model; "": none
  uint64_t task_id = 0;     // 0: not numbered
  std::string_view origin;  // "task", "StarPU" for a runtime's own work, or "program"
};

/// Remembers the latest kMaxKept calls by the number that call and work share: numbers that no
/// work ever takes up must not stay in memory, and one call may cause much work.
class DeviceCalls {
 public:
  static constexpr size_t kMaxKept = 262144;

  explicit DeviceCalls(Model& model) : model_(&model) {}

  /// A call begins: adds to its slice for whom, draws the arrow from the task, keeps it.
  void begin(uint64_t number, Thread& thread, Lane::Handle slice);
  /// Adds to `work` the arrow and what is known of the caller. Its begin moves after the call's.
  void attribute(uint64_t number, DeviceWork& work);
  /// Work may also name the call `known` by `number`.
  void add_number(uint64_t number, uint64_t known);
  const DeviceCall* find(uint64_t number) const noexcept { return calls_.find(number); }

  uint64_t without_call() const noexcept { return without_call_; }

 private:
  Model* model_;
  RecentById<DeviceCall, kMaxKept> calls_;  // by number
  uint64_t without_call_ = 0;
};

}  // namespace perseid
