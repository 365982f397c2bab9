// timeline/drawing/device_calls.cpp: keeps calls until the device reports their work.
#include "timeline/drawing/device_calls.h"

#include <algorithm>

namespace perseid {

void DeviceCalls::begin(uint64_t number, Thread& thread, Lane::Handle slice) {
  OpenSlice& shown = thread.lane[slice];
  DeviceCall call;
  call.origin = "program";
  if (CurrentTask* const task = thread.tasks.innermost()) {
    call.origin = "task";
    call.task = task->name();
    call.task_id = task->id;
    shown.flows.push_back(task->arrow_to(model_->flows, shown.begin_ns));
    shown.arguments.append({"task_name", call.task});
    if (call.task_id != 0) shown.arguments.append({"task", call.task_id});
  } else if (!thread.tasks.owner.empty()) {
    call.origin = thread.tasks.owner;
  }
  shown.arguments.append({"origin", call.origin});
  if (number == 0) return;
  call.out = model_->flows.start(shown.begin_ns, shown.begin_ns, FlowKind::kDeviceCall);
  shown.flows.push_back(call.out);
  calls_.put(number, call);
}

void DeviceCalls::add_number(uint64_t number, uint64_t known) {
  const DeviceCall* const call = find(known);
  if (call != nullptr && number != known) calls_.put(number, *call);
}

void DeviceCalls::attribute(uint64_t number, DeviceWork& work) {
  const DeviceCall* const call = number != 0 ? find(number) : nullptr;
  if (call == nullptr) {
    ++without_call_;
    return;
  }
  // Work cannot begin before it was asked for; clocks may differ a little.
  work.begin_ns = std::max(work.begin_ns, call->out.source_begin_ns);
  work.end_ns = std::max(work.end_ns, work.begin_ns);
  work.in = arrival_of(call->out, work.begin_ns);
  if (!call->task.empty()) work.arguments.append({"task_name", call->task});
  work.task = call->task_id;
  if (call->task_id != 0) work.arguments.append({"task", call->task_id});
  work.arguments.append({"origin", call->origin});
}

}  // namespace perseid
