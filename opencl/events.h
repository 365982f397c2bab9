// opencl/events.h: what the OpenCL layer writes.
#pragma once

#include "capture/record.h"

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
    {kDevice, "device", "device number", "string id of the name"},
    {kQueue, "queue", "queue number", "device number, QueueFlag"},
    {kCommand, "command", "Command, result << 16",
     "command id, ticks at the call's begin, queue number, bytes"},
    {kKernel, "kernel", "string id of the name",
     "command id, ticks at the call's begin, queue number | result << 32, dimensions, global size "
     "(3 words), local size (3 words, 0: the device's choice)"},
    {kDone, "done", "status of the event",
     "command id, device ns: queued, submitted, started, ended"},
    {kWait, "wait", "Wait", "ticks at the call's begin, queue number"},
};

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kOpencl, event);
}

enum QueueFlag : uint64_t {
  kOutOfOrder = 1,
  kUntimed = 2,  // the device refused to measure times
};

/// What a command does. The names are those of the functions behind clEnqueue.
enum class Command : uint8_t {
  kReadBuffer,
  kWriteBuffer,
  kCopyBuffer,
  kFillBuffer,
  kReadBufferRect,
  kWriteBufferRect,
  kCopyBufferRect,
  kReadImage,
  kWriteImage,
  kCopyImage,
  kFillImage,
  kCopyImageToBuffer,
  kCopyBufferToImage,
  kMapBuffer,
  kMapImage,
  kUnmapMemObject,
  kMigrateMemObjects,
  kNdRangeKernel,
  kTask,
  kNativeKernel,
  kMarker,
  kBarrier,
  kSvmMemcpy,
  kSvmMemFill,
  kSvmMap,
  kSvmUnmap,
};

enum class Wait : uint8_t { kFinish, kForEvents };

/// Queue numbers begin with 1; commands of this one are of a queue that nobody saw made.
inline constexpr uint32_t kUnknownQueue = 0;

}  // namespace perseid::opencl
