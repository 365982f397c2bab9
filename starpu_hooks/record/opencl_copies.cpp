// starpu_hooks/record/opencl_copies.cpp: when an asynchronous copy to or from an OpenCL device is
// over.
//
// StarPU polls for it without reporting it, but the OpenCL event can call us back.
#include <dlfcn.h>

#include "plugin/session/session.h"
#include "starpu_hooks/record/copy_span.h"

namespace perseid::starpu {

namespace {

// OpenCL's own numbers, from its specification.
constexpr int kComplete = 0;
constexpr unsigned kCommandStart = 0x1282;
constexpr unsigned kCommandEnd = 0x1283;

using EventCallback = void (*)(void* event, int status, void* id);
using SetEventCallback = int (*)(void* event, int status, EventCallback, void* id);
using GetProfilingInfo = int (*)(void* event, unsigned what, size_t, void* value, size_t*);

struct OpenclApi {
  SetEventCallback set_event_callback;
  GetProfilingInfo get_profiling_info;
};

/// The OpenCL that StarPU itself uses.
const OpenclApi& opencl() noexcept {
  static const OpenclApi found = [] {
    const SystemCallGuard guard;
    void* library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) library = RTLD_DEFAULT;
    return OpenclApi{reinterpret_cast<SetEventCallback>(dlsym(library, "clSetEventCallback")),
                     reinterpret_cast<GetProfilingInfo>(dlsym(library, "clGetEventProfilingInfo"))};
  }();
  return found;
}

uint64_t device_ns(void* event) noexcept {
  uint64_t begin = 0, end = 0;
  const GetProfilingInfo ask = opencl().get_profiling_info;
  if (!ask || ask(event, kCommandStart, sizeof begin, &begin, nullptr) != 0 ||
      ask(event, kCommandEnd, sizeof end, &end, nullptr) != 0 || end < begin)
    return 0;
  return end - begin;
}

/// On a thread of the OpenCL library.
void on_complete(void* event, int status, void* id) noexcept {
  emit(kind(kCopyDone), bits(status), word(id), device_ns(event));
}

void follow(void* const* event, size_t size) noexcept {
  if (!event || !*event || !is_recording() || !records_everything()) return;
  const SetEventCallback set = opencl().set_event_callback;
  if (!set || !t_ring) return;
  const uint64_t id = t_ring->next_slice_id();
  emit(kind(kCopyStarted), 0, id, uint64_t{size});
  set(*event, kComplete, on_complete, reinterpret_cast<void*>(id));
}

}  // namespace
}  // namespace perseid::starpu

using namespace perseid;
using namespace perseid::starpu;

PERSEID_HOOK int starpu_opencl_copy_ram_to_opencl(void* source, unsigned source_node, void* target,
                                                  unsigned target_node, size_t size, size_t offset,
                                                  void** event, int* result) {
  return copy({source_node, target_node, word(source), word(target) + offset}, size, [&] {
    const int error = api().starpu_opencl_copy_ram_to_opencl(
        source, source_node, target, target_node, size, offset, event, result);
    if (error == 0) follow(event, size);
    return error;
  });
}

PERSEID_HOOK int starpu_opencl_copy_opencl_to_ram(void* source, unsigned source_node, void* target,
                                                  unsigned target_node, size_t size, size_t offset,
                                                  void** event, int* result) {
  return copy({source_node, target_node, word(source) + offset, word(target)}, size, [&] {
    const int error = api().starpu_opencl_copy_opencl_to_ram(
        source, source_node, target, target_node, size, offset, event, result);
    if (error == 0) follow(event, size);
    return error;
  });
}

PERSEID_HOOK int starpu_opencl_copy_opencl_to_opencl(void* source, unsigned source_node,
                                                     size_t source_offset, void* target,
                                                     unsigned target_node, size_t target_offset,
                                                     size_t size, void** event, int* result) {
  return copy(
      {source_node, target_node, word(source) + source_offset, word(target) + target_offset}, size,
      [&] {
        const int error = api().starpu_opencl_copy_opencl_to_opencl(
            source, source_node, source_offset, target, target_node, target_offset, size, event,
            result);
        if (error == 0) follow(event, size);
        return error;
      });
}
