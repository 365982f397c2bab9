// opencl/numbers.h: the numbers that records of OpenCL carry, and their names.
#pragma once

#include "capture/event_info.h"

namespace perseid::opencl {

enum QueueFlag : uint64_t {
  kOutOfOrder = 1,
  kUntimed = 2,  // the device refused to measure times
};
inline constexpr ValueName kQueueFlagNames[] = {
    {kOutOfOrder, "out_of_order"},
    {kUntimed, "untimed"},
};

/// What a command does. The names are those of the functions after `clEnqueue`.
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
inline constexpr ValueName kCommandNames[] = {
    {Command::kReadBuffer, "read_buffer"},
    {Command::kWriteBuffer, "write_buffer"},
    {Command::kCopyBuffer, "copy_buffer"},
    {Command::kFillBuffer, "fill_buffer"},
    {Command::kReadBufferRect, "read_buffer_rect"},
    {Command::kWriteBufferRect, "write_buffer_rect"},
    {Command::kCopyBufferRect, "copy_buffer_rect"},
    {Command::kReadImage, "read_image"},
    {Command::kWriteImage, "write_image"},
    {Command::kCopyImage, "copy_image"},
    {Command::kFillImage, "fill_image"},
    {Command::kCopyImageToBuffer, "copy_image_to_buffer"},
    {Command::kCopyBufferToImage, "copy_buffer_to_image"},
    {Command::kMapBuffer, "map_buffer"},
    {Command::kMapImage, "map_image"},
    {Command::kUnmapMemObject, "unmap_mem_object"},
    {Command::kMigrateMemObjects, "migrate_mem_objects"},
    {Command::kNdRangeKernel, "nd_range_kernel"},
    {Command::kTask, "task"},
    {Command::kNativeKernel, "native_kernel"},
    {Command::kMarker, "marker"},
    {Command::kBarrier, "barrier"},
    {Command::kSvmMemcpy, "svm_memcpy"},
    {Command::kSvmMemFill, "svm_mem_fill"},
    {Command::kSvmMap, "svm_map"},
    {Command::kSvmUnmap, "svm_unmap"},
};

enum class Wait : uint8_t { kFinish, kForEvents };
inline constexpr ValueName kWaitNames[] = {
    {Wait::kFinish, "finish"},
    {Wait::kForEvents, "for_events"},
};

/// Queue numbers begin with 1; commands of this one are of a queue that nobody saw made.
inline constexpr uint32_t kUnknownQueue = 0;

}  // namespace perseid::opencl
