// opencl/events.h: what the OpenCL layer writes.
#pragma once

#include "capture/event_info.h"
#include "opencl/numbers.h"

namespace perseid::opencl {

enum Event : uint8_t {
  kDevice = 1,
  kQueue = 2,
  kCommand = 3,
  kKernel = 4,
  kDone = 5,
  kWait = 6,
};

inline constexpr EventInfo kEvents[] = {
    {kDevice, "device", {field::number("device")}, {field::string("name")}},
    {kQueue,
     "queue",
     {field::number("queue")},
     {field::number("device"), field::flags("flags", kQueueFlagNames)}},
    {kCommand,
     "command",
     {field::choice("command", kCommandNames).bits(0, 16),
      field::signed_number("result").bits(16, 16)},
     {field::number("id"), field::ticks("begin", "of the call"), field::number("queue"),
      field::number("bytes")}},
    {kKernel,
     "kernel",
     {field::string("name")},
     {field::number("id"), field::ticks("begin", "of the call"), field::number("queue").low(),
      field::signed_number("result").high(), field::number("dimensions"), field::number("global_x"),
      field::number("global_y"), field::number("global_z"),
      field::number("local_x", "0: the device's choice"), field::number("local_y"),
      field::number("local_z")}},
    {kDone,
     "done",
     {field::signed_number("status", "of the event")},
     {field::number("id"), field::number("queued", "ns of the device, as the others"),
      field::number("submitted"), field::number("started"), field::number("ended")}},
    {kWait,
     "wait",
     {field::choice("wait", kWaitNames)},
     {field::ticks("begin", "of the call"), field::number("queue", "0: not known")}},
};

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kOpencl, event);
}

}  // namespace perseid::opencl
