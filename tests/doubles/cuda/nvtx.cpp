// tests/doubles/cuda/nvtx.cpp: ranges, marks and names that a program gives through NVTX.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/doubles/cuda/driver.h"

using namespace fake_cuda;
using namespace perseid::cupti;

namespace {

std::atomic<uint32_t> g_next_marker{1};

/// What NVTX does before a program's first call: without a tool nothing goes anywhere.
bool has_tool() {
  static const bool is_there = [] {
    const char* tool = std::getenv("NVTX_INJECTION64_PATH");
    void* library = tool ? dlopen(tool, RTLD_NOW) : nullptr;
    void* entry = library ? dlsym(library, "InitializeInjectionNvtx2") : nullptr;
    return entry && reinterpret_cast<int (*)(void*)>(entry)(nullptr) == 1;
  }();
  return is_there;
}

MarkerActivity record_marker(MarkerFlag flag, const char* name) {
  MarkerActivity record{};
  record.kind = ActivityKind::kMarker;
  record.id = g_next_marker++;
  record.object_kind = ObjectKind::kThread;
  record.object.part[0] = static_cast<uint32_t>(getpid());
  record.object.part[1] = static_cast<uint32_t>(gettid());
  record.flags = flag;
  record.name = name;
  record.domain = "test";
  record.timestamp = now();
  if (has_tool()) deliver(record, record.timestamp);
  return record;
}

void record_name(ObjectKind kind, uint32_t device, uint32_t context, uint32_t stream,
                 const char* name) {
  initialize();
  if (!has_tool()) return;
  NameActivity record{};
  record.kind = ActivityKind::kName;
  record.object_kind = kind;
  record.object = {{device, context, stream}};
  record.name = name;
  deliver(record, 0);
}

}  // namespace

FAKE_API void fake_cuda_range(const char* name) {
  MarkerActivity record = record_marker(kMarkerStart, name);
  if (!has_tool()) return;
  record.flags = kMarkerEnd;
  record.name = nullptr;
  record.timestamp += 2000;
  deliver(record, record.timestamp);
}

FAKE_API void fake_cuda_open_range(const char* name) { record_marker(kMarkerStart, name); }

FAKE_API void fake_cuda_mark(const char* name) { record_marker(kMarkerInstant, name); }

FAKE_API void fake_cuda_name_device(int device, const char* name) {
  record_name(ObjectKind::kDevice, static_cast<uint32_t>(device), 0, 0, name);
}

FAKE_API void fake_cuda_name_context(int device, const char* name) {
  const auto number = static_cast<uint32_t>(device);
  record_name(ObjectKind::kContext, number, kContextBase + number, 0, name);
}

FAKE_API void fake_cuda_name_stream(cudaStream_t stream, const char* name) {
  record_name(ObjectKind::kStream, stream->device, kContextBase + stream->device, stream->id, name);
}
