// opencl/record/queues.cpp: enables profiling on queues and asks finished commands for their times.
#include "opencl/record/queues.h"

#include <algorithm>
#include <cstring>

namespace perseid::opencl {

namespace {

constexpr size_t kMaxQueues = 256;
constexpr size_t kMaxDevices = 64;
constinit std::array<Queue, kMaxQueues> g_queues{};
constinit std::array<std::atomic<cl_command_queue>, kMaxQueues> g_handles{};  // of g_queues
constinit std::atomic<uint32_t> g_next_queue{1};
constinit std::array<std::atomic<cl_device_id>, kMaxDevices> g_devices{};
constinit std::atomic<bool> g_has_unrecorded{false};

/// The number of a device, recorded when the device is first seen.
uint32_t number_of(cl_device_id device) noexcept {
  for (uint32_t i = 0; i < kMaxDevices; ++i) {
    cl_device_id seen = g_devices[i].load();
    if (!seen && g_devices[i].compare_exchange_strong(seen, device)) {
      char name[256] = "";
      g_below.clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, nullptr);
      emit(kind(kDevice), i, intern(name, std::strlen(name)));
      return i;
    }
    if (g_devices[i].load() == device) return i;
  }
  return kMaxDevices;
}

/// A handle that OpenCL uses again means a new queue, at the old one's place.
Queue* take_place(cl_command_queue handle) noexcept {
  if (Queue* same = find_queue(handle)) {
    same->harvest(false);
    return same;
  }
  for (size_t i = 0; i < kMaxQueues; ++i) {
    cl_command_queue none = nullptr;
    if (g_handles[i].compare_exchange_strong(none, handle)) return &g_queues[i];
  }
  return nullptr;
}

void keep(cl_command_queue handle, cl_device_id device, cl_command_queue_properties asked,
          bool is_timed) noexcept {
  if (!handle || !records_commands()) return;
  Queue* queue = take_place(handle);
  if (!queue) return;
  queue->number = g_next_queue.fetch_add(1);
  queue->is_timed = is_timed;
  queue->was_timed_by_us = is_timed && !(asked & CL_QUEUE_PROFILING_ENABLE);
  const uint64_t flags =
      (asked & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE ? uint64_t{kOutOfOrder} : 0) |
      (is_timed ? 0 : uint64_t{kUntimed});
  const uint32_t device_number = number_of(device);
  emit(kind(kQueue), queue->number, device_number, flags);
}

void record_done(const Pending& done, cl_int status) noexcept {
  cl_ulong times[4] = {};
  constexpr cl_profiling_info kTimes[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                          CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
  for (size_t i = 0; i < 4; ++i) {
    if (g_below.clGetEventProfilingInfo(done.event, kTimes[i], sizeof times[i], &times[i],
                                        nullptr) != CL_SUCCESS)
      times[i] = 0;
  }
  emit(kind(kDone), static_cast<uint32_t>(status), done.command, times[0], times[1], times[2],
       times[3]);
  g_below.clReleaseEvent(done.event);
}

/// On a thread of the OpenCL library, for commands that found no place in their queue.
void CL_CALLBACK on_complete(cl_event event, cl_int status, void* command) noexcept {
  const SystemCallGuard guard;
  record_done({event, reinterpret_cast<uint64_t>(command)}, status);
}

void ask_for_callback(const Pending& pending) noexcept {
  if (!g_below.clSetEventCallback ||
      g_below.clSetEventCallback(pending.event, CL_COMPLETE, on_complete,
                                 reinterpret_cast<void*>(pending.command)) != CL_SUCCESS)
    g_below.clReleaseEvent(pending.event);
}

cl_int status_of(cl_event event) noexcept {
  cl_int status = CL_QUEUED;
  const cl_int error = g_below.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                              sizeof status, &status, nullptr);
  return error == CL_SUCCESS ? status : error;
}

cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties, cl_int* error) {
  cl_command_queue queue = nullptr;
  if (!records_commands() || (properties & CL_QUEUE_PROFILING_ENABLE)) {
    queue = g_below.clCreateCommandQueue(context, device, properties, error);
    keep(queue, device, properties, (properties & CL_QUEUE_PROFILING_ENABLE) != 0);
    return queue;
  }
  queue =
      g_below.clCreateCommandQueue(context, device, properties | CL_QUEUE_PROFILING_ENABLE, error);
  if (queue) {
    keep(queue, device, properties, true);
    return queue;
  }
  queue = g_below.clCreateCommandQueue(context, device, properties, error);
  keep(queue, device, properties, false);
  return queue;
}

/// The program's list of properties, with times switched on.
struct TimedProperties {
  static constexpr size_t kMaxCount = 32;
  cl_queue_properties list[kMaxCount + 3];
  cl_command_queue_properties asked = 0;
  bool fits = true;

  explicit TimedProperties(const cl_queue_properties* program) noexcept {
    size_t count = 0;
    bool has_properties = false;
    for (; program && *program != 0; program += 2) {
      if (count + 2 > kMaxCount) {
        fits = false;
        return;
      }
      list[count] = program[0];
      list[count + 1] = program[1];
      if (program[0] == CL_QUEUE_PROPERTIES) {
        asked = program[1];
        list[count + 1] |= CL_QUEUE_PROFILING_ENABLE;
        has_properties = true;
        // A queue on the device is none that the host puts commands into.
        if (asked & CL_QUEUE_ON_DEVICE) fits = false;
      }
      count += 2;
    }
    if (!has_properties) {
      list[count++] = CL_QUEUE_PROPERTIES;
      list[count++] = CL_QUEUE_PROFILING_ENABLE;
    }
    list[count] = 0;
  }
};

cl_command_queue CL_API_CALL create_queue_with_properties(cl_context context, cl_device_id device,
                                                          const cl_queue_properties* properties,
                                                          cl_int* error) {
  const TimedProperties timed(properties);
  const bool is_asked = (timed.asked & CL_QUEUE_PROFILING_ENABLE) != 0;
  if (records_commands() && timed.fits && !is_asked) {
    cl_command_queue queue =
        g_below.clCreateCommandQueueWithProperties(context, device, timed.list, error);
    if (queue) {
      keep(queue, device, timed.asked, true);
      return queue;
    }
  }
  cl_command_queue queue =
      g_below.clCreateCommandQueueWithProperties(context, device, properties, error);
  keep(queue, device, timed.asked, is_asked);
  return queue;
}

/// The program sees the queue that it asked for.
cl_int CL_API_CALL get_queue_info(cl_command_queue handle, cl_command_queue_info what, size_t size,
                                  void* value, size_t* size_needed) {
  const cl_int result = g_below.clGetCommandQueueInfo(handle, what, size, value, size_needed);
  const Queue* queue = find_queue(handle);
  if (result == CL_SUCCESS && value && queue && queue->was_timed_by_us &&
      what == CL_QUEUE_PROPERTIES) {
    cl_command_queue_properties shown;
    std::memcpy(&shown, value, sizeof shown);
    shown &= ~cl_command_queue_properties{CL_QUEUE_PROFILING_ENABLE};
    std::memcpy(value, &shown, sizeof shown);
  }
  return result;
}

cl_int CL_API_CALL release_queue(cl_command_queue handle) {
  if (Queue* queue = find_queue(handle)) {
    const SystemCallGuard guard;
    cl_uint references = 0;
    g_below.clGetCommandQueueInfo(handle, CL_QUEUE_REFERENCE_COUNT, sizeof references, &references,
                                  nullptr);
    // Events that we hold may hold the queue in turn: let go of them while it still exists.
    queue->harvest(false);
    if (references <= 1) g_handles[static_cast<size_t>(queue - g_queues.data())].store(nullptr);
  }
  return g_below.clReleaseCommandQueue(handle);
}

void record_wait(Wait wait, uint64_t begin, const Queue* queue) noexcept {
  emit(kind(kWait), static_cast<uint32_t>(wait), begin, queue ? queue->number : kUnknownQueue);
}

cl_int CL_API_CALL finish(cl_command_queue handle) {
  if (!records_commands()) return g_below.clFinish(handle);
  const uint64_t begin = read_ticks();
  const cl_int result = g_below.clFinish(handle);
  const SystemCallGuard guard;
  Queue* queue = find_queue(handle);
  record_wait(Wait::kFinish, begin, queue);
  if (queue) queue->harvest(true);
  return result;
}

cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event* events) {
  if (!records_commands()) return g_below.clWaitForEvents(count, events);
  const uint64_t begin = read_ticks();
  const cl_int result = g_below.clWaitForEvents(count, events);
  const SystemCallGuard guard;
  cl_command_queue handle = nullptr;
  if (result == CL_SUCCESS && count > 0)
    g_below.clGetEventInfo(events[0], CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue), &handle,
                           nullptr);
  Queue* queue = handle ? find_queue(handle) : nullptr;
  record_wait(Wait::kForEvents, begin, queue);
  if (queue) queue->harvest(true);
  return result;
}

}  // namespace

void Queue::follow(cl_event event, uint64_t command) noexcept {
  const Pending followed{event, command};
  if (!is_timed) {
    g_below.clReleaseEvent(event);
    return;
  }
  if (!try_lock()) return ask_for_callback(followed);
  const bool has_place = count_ < kMaxPending;
  if (has_place) pending_[count_++] = followed;
  const bool is_time = ++since_harvest_ >= kHarvestEvery;
  unlock();
  if (!has_place) ask_for_callback(followed);
  if (is_time || !has_place) harvest(true);
}

void Queue::harvest(bool stays) noexcept {
  // OpenCL may call back from inside: what is asked about is no longer in the list by then.
  std::array<Pending, kMaxPending> taken;
  if (!try_lock()) return;
  const uint32_t count = count_;
  std::copy_n(pending_.begin(), count, taken.begin());
  count_ = 0;
  since_harvest_ = 0;
  unlock();
  uint32_t left = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const cl_int status = status_of(taken[i].event);
    if (status <= CL_COMPLETE) {
      record_done(taken[i], status);
    } else {
      taken[left++] = taken[i];
    }
  }
  if (left == 0) return;
  uint32_t kept = 0;
  if (stays && try_lock()) {
    while (kept < left && count_ < kMaxPending) pending_[count_++] = taken[kept++];
    unlock();
  }
  while (kept < left) ask_for_callback(taken[kept++]);
}

Queue* find_queue(cl_command_queue handle) noexcept {
  for (size_t i = 0; i < kMaxQueues; ++i) {
    if (g_handles[i].load(std::memory_order_acquire) == handle) return &g_queues[i];
  }
  return nullptr;
}

void harvest_all() noexcept {
  for (size_t i = 0; i < kMaxQueues; ++i) {
    if (g_handles[i].load()) g_queues[i].harvest(true);
  }
}

void forget_queues() noexcept {
  if (g_next_queue.load() == 1) return;
  for (size_t i = 0; i < kMaxQueues; ++i) {
    if (g_handles[i].exchange(nullptr)) g_queues[i].forget();
  }
  for (auto& device : g_devices) device.store(nullptr);
  g_next_queue.store(1);
}

void note_unrecorded_program() noexcept { g_has_unrecorded.store(true, std::memory_order_relaxed); }
bool has_unrecorded_program() noexcept { return g_has_unrecorded.load(); }

void hook_queues(cl_icd_dispatch& table) noexcept {
  if (table.clCreateCommandQueue) table.clCreateCommandQueue = create_queue;
  if (table.clCreateCommandQueueWithProperties)
    table.clCreateCommandQueueWithProperties = create_queue_with_properties;
  if (table.clGetCommandQueueInfo) table.clGetCommandQueueInfo = get_queue_info;
  if (table.clReleaseCommandQueue) table.clReleaseCommandQueue = release_queue;
  if (table.clFinish) table.clFinish = finish;
  if (table.clWaitForEvents) table.clWaitForEvents = wait_for_events;
}

}  // namespace perseid::opencl
