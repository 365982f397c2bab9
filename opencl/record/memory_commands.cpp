// opencl/record/memory_commands.cpp: reads, writes, copies, fills, maps and migrations.
#include "opencl/record/enqueue.h"

namespace perseid::opencl {

namespace {

using Table = cl_icd_dispatch;

/// Bytes of a box of buffer elements: OpenCL gives its width in bytes.
uint64_t box(const size_t* region) noexcept {
  return region ? uint64_t{region[0]} * region[1] * region[2] : 0;
}

/// Images are measured in pixels; only the image knows how large one is.
uint64_t pixels(cl_mem image, const size_t* region) noexcept {
  size_t bytes = 1;
  if (!region || g_below.clGetImageInfo(image, CL_IMAGE_ELEMENT_SIZE, sizeof bytes, &bytes,
                                        nullptr) != CL_SUCCESS)
    return 0;
  return box(region) * bytes;
}

// The bytes that each function moves, from its arguments after the queue.
constexpr auto kFourth = [](cl_mem, cl_bool, size_t, size_t bytes, auto...) { return bytes; };
constexpr auto kCopied = [](cl_mem, cl_mem, size_t, size_t, size_t bytes, auto...) {
  return bytes;
};
constexpr auto kFilled = [](cl_mem, const void*, size_t, size_t, size_t bytes, auto...) {
  return bytes;
};
constexpr auto kBox = [](cl_mem, cl_bool, const size_t*, const size_t*, const size_t* region,
                         auto...) { return box(region); };
constexpr auto kCopiedBox = [](cl_mem, cl_mem, const size_t*, const size_t*, const size_t* region,
                               auto...) { return box(region); };
constexpr auto kImage = [](cl_mem image, cl_bool, const size_t*, const size_t* region, auto...) {
  return pixels(image, region);
};
constexpr auto kCopiedImage = [](cl_mem image, cl_mem, const size_t*, const size_t*,
                                 const size_t* region, auto...) { return pixels(image, region); };
constexpr auto kFilledImage = [](cl_mem image, const void*, const size_t*, const size_t* region,
                                 auto...) { return pixels(image, region); };
constexpr auto kImageToBuffer = [](cl_mem image, cl_mem, const size_t*, const size_t* region,
                                   auto...) { return pixels(image, region); };
constexpr auto kBufferToImage = [](cl_mem, cl_mem image, size_t, const size_t*,
                                   const size_t* region, auto...) { return pixels(image, region); };
constexpr auto kSvmCopied = [](cl_bool, void*, const void*, size_t bytes, auto...) {
  return bytes;
};
constexpr auto kSvmFilled = [](void*, const void*, size_t, size_t bytes, auto...) { return bytes; };
constexpr auto kSvmMapped = [](cl_bool, cl_map_flags, void*, size_t bytes, auto...) {
  return bytes;
};

void* CL_API_CALL map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool is_blocking,
                             cl_map_flags flags, size_t offset, size_t bytes, cl_uint waits,
                             const cl_event* wait_list, cl_event* event, cl_int* error) {
  if (!records_commands())
    return g_below.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, bytes, waits,
                                      wait_list, event, error);
  Enqueue enqueue(queue, event);
  cl_int result = CL_SUCCESS;
  void* mapped = g_below.clEnqueueMapBuffer(queue, buffer, is_blocking, flags, offset, bytes, waits,
                                            wait_list, enqueue.event(), &result);
  if (error) *error = result;
  enqueue.record(Command::kMapBuffer, result, bytes);
  return mapped;
}

void* CL_API_CALL map_image(cl_command_queue queue, cl_mem image, cl_bool is_blocking,
                            cl_map_flags flags, const size_t* origin, const size_t* region,
                            size_t* row_pitch, size_t* slice_pitch, cl_uint waits,
                            const cl_event* wait_list, cl_event* event, cl_int* error) {
  if (!records_commands())
    return g_below.clEnqueueMapImage(queue, image, is_blocking, flags, origin, region, row_pitch,
                                     slice_pitch, waits, wait_list, event, error);
  Enqueue enqueue(queue, event);
  cl_int result = CL_SUCCESS;
  void* mapped =
      g_below.clEnqueueMapImage(queue, image, is_blocking, flags, origin, region, row_pitch,
                                slice_pitch, waits, wait_list, enqueue.event(), &result);
  if (error) *error = result;
  enqueue.record(Command::kMapImage, result, pixels(image, region));
  return mapped;
}

}  // namespace

void hook_memory_commands(Table& table) noexcept {
  hook<&Table::clEnqueueReadBuffer, Command::kReadBuffer, kFourth>(table);
  hook<&Table::clEnqueueWriteBuffer, Command::kWriteBuffer, kFourth>(table);
  hook<&Table::clEnqueueCopyBuffer, Command::kCopyBuffer, kCopied>(table);
  hook<&Table::clEnqueueFillBuffer, Command::kFillBuffer, kFilled>(table);
  hook<&Table::clEnqueueReadBufferRect, Command::kReadBufferRect, kBox>(table);
  hook<&Table::clEnqueueWriteBufferRect, Command::kWriteBufferRect, kBox>(table);
  hook<&Table::clEnqueueCopyBufferRect, Command::kCopyBufferRect, kCopiedBox>(table);
  hook<&Table::clEnqueueReadImage, Command::kReadImage, kImage>(table);
  hook<&Table::clEnqueueWriteImage, Command::kWriteImage, kImage>(table);
  hook<&Table::clEnqueueCopyImage, Command::kCopyImage, kCopiedImage>(table);
  hook<&Table::clEnqueueFillImage, Command::kFillImage, kFilledImage>(table);
  hook<&Table::clEnqueueCopyImageToBuffer, Command::kCopyImageToBuffer, kImageToBuffer>(table);
  hook<&Table::clEnqueueCopyBufferToImage, Command::kCopyBufferToImage, kBufferToImage>(table);
  hook<&Table::clEnqueueUnmapMemObject, Command::kUnmapMemObject>(table);
  hook<&Table::clEnqueueMigrateMemObjects, Command::kMigrateMemObjects>(table);
  hook<&Table::clEnqueueSVMMemcpy, Command::kSvmMemcpy, kSvmCopied>(table);
  hook<&Table::clEnqueueSVMMemFill, Command::kSvmMemFill, kSvmFilled>(table);
  hook<&Table::clEnqueueSVMMap, Command::kSvmMap, kSvmMapped>(table);
  hook<&Table::clEnqueueSVMUnmap, Command::kSvmUnmap>(table);
  if (table.clEnqueueMapBuffer) table.clEnqueueMapBuffer = map_buffer;
  if (table.clEnqueueMapImage) table.clEnqueueMapImage = map_image;
}

}  // namespace perseid::opencl
