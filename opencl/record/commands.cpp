// opencl/record/commands.cpp: kernels, markers and barriers.
#include <algorithm>
#include <cstring>

#include "capture/payload.h"
#include "opencl/record/enqueue.h"

namespace perseid::opencl {

namespace {

constexpr cl_uint kMaxDimensions = 3;

/// The names are at hand in OpenCL, the id in our table: nothing to remember about kernels, whose
/// handles are used again.
uint32_t name_of(cl_kernel kernel) noexcept {
  char name[512];
  size_t bytes = 0;
  if (g_below.clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, &bytes) !=
          CL_SUCCESS ||
      bytes == 0)
    return 0;
  return intern(name, std::min(bytes, sizeof name) - 1);
}

void record_kernel(Enqueue& enqueue, uint32_t name, cl_int result, cl_uint dimensions,
                   const size_t* global, const size_t* local) noexcept {
  uint64_t sizes[2 * kMaxDimensions] = {};
  const cl_uint used = std::min(dimensions, kMaxDimensions);
  for (cl_uint i = 0; i < used; ++i) {
    if (global) sizes[i] = global[i];
    if (local) sizes[kMaxDimensions + i] = local[i];
  }
  const uint64_t id = new_command_id();
  const uint64_t where = halves(enqueue.queue_number(), static_cast<uint32_t>(result));
  emit(kind(kKernel), name, id, enqueue.begin(), where, dimensions, sizes[0], sizes[1], sizes[2],
       sizes[3], sizes[4], sizes[5]);
  enqueue.follow(result, id);
}

cl_int CL_API_CALL enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                  const size_t* offset, const size_t* global, const size_t* local,
                                  cl_uint waits, const cl_event* wait_list, cl_event* event) {
  if (!records_commands())
    return g_below.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits,
                                          wait_list, event);
  // Before the call: the program may give the kernel back while it runs.
  const uint32_t name = name_of(kernel);
  Enqueue enqueue(queue, event);
  const cl_int result = g_below.clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global,
                                                       local, waits, wait_list, enqueue.event());
  const SystemCallGuard guard;
  record_kernel(enqueue, name, result, dimensions, global, local);
  return result;
}

cl_int CL_API_CALL enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint waits,
                                const cl_event* wait_list, cl_event* event) {
  if (!records_commands()) return g_below.clEnqueueTask(queue, kernel, waits, wait_list, event);
  const uint32_t name = name_of(kernel);
  Enqueue enqueue(queue, event);
  const cl_int result = g_below.clEnqueueTask(queue, kernel, waits, wait_list, enqueue.event());
  const SystemCallGuard guard;
  const size_t one = 1;
  record_kernel(enqueue, name, result, 1, &one, &one);
  return result;
}

}  // namespace

void hook_commands(cl_icd_dispatch& table) noexcept {
  if (table.clEnqueueNDRangeKernel) table.clEnqueueNDRangeKernel = enqueue_kernel;
  if (table.clEnqueueTask) table.clEnqueueTask = enqueue_task;
  using Table = cl_icd_dispatch;
  hook<&Table::clEnqueueNativeKernel, Command::kNativeKernel>(table);
  hook<&Table::clEnqueueMarker, Command::kMarker>(table);
  hook<&Table::clEnqueueMarkerWithWaitList, Command::kMarker>(table);
  hook<&Table::clEnqueueBarrierWithWaitList, Command::kBarrier>(table);
}

}  // namespace perseid::opencl
