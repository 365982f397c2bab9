// tests/doubles/cuda/fake_cuda.cpp: streams, launches and copies that only produce CUPTI records.
#include "tests/doubles/cuda/fake_cuda.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "tests/doubles/cuda/driver.h"

using namespace fake_cuda;
using namespace perseid::cupti;

namespace {

constexpr uint64_t kNsPerByte = 1;
constexpr uint64_t kKernelNs = 5000;

std::atomic<uint32_t> g_next_stream{7};
FakeStream g_default[2] = {{7, 0}, {7, 1}};

struct Span {
  uint64_t start;
  uint64_t end;
};

/// A stream does one thing after the other.
Span occupy(FakeStream& stream, uint64_t duration) {
  uint64_t before = stream.busy_until.load();
  Span span;
  do {
    span.start = std::max(before, now());
    span.end = span.start + duration;
  } while (!stream.busy_until.compare_exchange_weak(before, span.end));
  return span;
}

FakeStream& or_default(cudaStream_t stream) { return stream ? *stream : g_default[t_device]; }

void record_kernel(const char* name, int grid, int block, size_t shared_bytes, FakeStream& stream,
                   uint32_t correlation, uint32_t graph) {
  const Span span = occupy(stream, kKernelNs);
  KernelActivity record{};
  record.kind = ActivityKind::kConcurrentKernel;
  record.registers_per_thread = 32;
  record.start = span.start;
  record.end = span.end;
  record.device = stream.device;
  record.context = kContextBase + stream.device;
  record.stream = stream.id;
  record.grid[0] = grid;
  record.grid[1] = record.grid[2] = 1;
  record.block[0] = block;
  record.block[1] = record.block[2] = 1;
  record.static_shared_bytes = 48;
  record.dynamic_shared_bytes = static_cast<int32_t>(shared_bytes);
  record.correlation = correlation;
  record.name = name;
  record.graph = graph;
  deliver(record, span.end);
}

template <class Copy>
Copy describe_copy(ActivityKind kind, const FakeStream& stream, const Span& span, size_t bytes,
                   uint32_t correlation) {
  Copy record{};
  record.kind = kind;
  record.flags = 1;
  record.bytes = bytes;
  record.start = span.start;
  record.end = span.end;
  record.device = stream.device;
  record.context = kContextBase + stream.device;
  record.stream = stream.id;
  record.correlation = correlation;
  return record;
}

void wait(SyncType type, FakeStream& stream, uint32_t correlation) {
  SyncActivity record{};
  record.kind = ActivityKind::kSynchronization;
  record.type = type;
  record.start = now();
  // Device time runs ahead of ours: a program waits for it.
  while (g_cupti && now() < stream.busy_until.load()) {
    const timespec moment{0, 10'000};
    nanosleep(&moment, nullptr);
  }
  record.end = now();
  record.correlation = correlation;
  record.context = kContextBase + stream.device;
  record.stream = stream.id;
  deliver(record, record.end);
}

}  // namespace

FAKE_API cudaError_t cudaSetDevice(int device) {
  initialize();
  t_device = static_cast<uint32_t>(device) % 2;
  return cudaSuccess;
}

FAKE_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  initialize();
  *stream = new FakeStream{++g_next_stream, t_device};
  StreamActivity record{};
  record.kind = ActivityKind::kStream;
  record.context = kContextBase + t_device;
  record.stream = (*stream)->id;
  deliver(record, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind,
                                     cudaStream_t stream) {
  initialize();
  const Call call(Domain::kRuntime, 41, "cudaMemcpyAsync_v3020");
  std::memcpy(to, from, bytes);
  FakeStream& on = or_default(stream);
  auto record = describe_copy<CopyActivity>(ActivityKind::kCopy, on, occupy(on, bytes * kNsPerByte),
                                            bytes, call.correlation);
  record.copy_kind = static_cast<uint8_t>(kind);
  const bool is_up = kind == cudaMemcpyHostToDevice;
  record.source_kind = static_cast<uint8_t>(is_up ? MemoryKind::kPageable : MemoryKind::kDevice);
  record.target_kind = static_cast<uint8_t>(is_up ? MemoryKind::kDevice : MemoryKind::kPageable);
  deliver(record, record.end);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                         size_t bytes, cudaStream_t stream) {
  initialize();
  const Call call(Domain::kRuntime, 161, "cudaMemcpyPeerAsync_v4000");
  std::memcpy(to, from, bytes);
  FakeStream& on = or_default(stream);
  auto record = describe_copy<PeerCopyActivity>(
      ActivityKind::kPeerCopy, on, occupy(on, bytes * kNsPerByte), bytes, call.correlation);
  record.copy_kind = static_cast<uint8_t>(CopyKind::kPeerToPeer);
  record.source_kind = record.target_kind = static_cast<uint8_t>(MemoryKind::kDevice);
  record.source_device = static_cast<uint32_t>(from_device);
  record.target_device = static_cast<uint32_t>(to_device);
  deliver(record, record.end);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMemsetAsync(void* memory, int value, size_t bytes, cudaStream_t stream) {
  initialize();
  const Call call(Domain::kRuntime, 51, "cudaMemsetAsync_v3020");
  std::memset(memory, value, bytes);
  FakeStream& on = or_default(stream);
  const Span span = occupy(on, bytes * kNsPerByte);
  SetActivity record{};
  record.kind = ActivityKind::kSet;
  record.value = static_cast<uint32_t>(value);
  record.bytes = bytes;
  record.start = span.start;
  record.end = span.end;
  record.device = on.device;
  record.context = kContextBase + on.device;
  record.stream = on.id;
  record.correlation = call.correlation;
  record.memory_kind = static_cast<uint16_t>(MemoryKind::kDevice);
  deliver(record, record.end);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaLaunchKernel(FakeKernel kernel, const char* name, int grid, int block,
                                      void** arguments, size_t shared_bytes, cudaStream_t stream) {
  initialize();
  Call call(Domain::kRuntime, 211, "cudaLaunchKernel_v7000");
  if (grid <= 0) return call.result = cudaErrorInvalidValue;
  // The real runtime launches through the driver, whose number the kernel then carries.
  const Call driver(Domain::kDriver, 307, "cuLaunchKernel");
  kernel(arguments);
  record_kernel(name, grid, block, shared_bytes, or_default(stream), driver.correlation, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cuLaunchKernel(FakeKernel kernel, const char* name, int grid, int block,
                                    void** arguments, size_t shared_bytes, cudaStream_t stream) {
  initialize();
  const Call call(Domain::kDriver, 307, "cuLaunchKernel");
  kernel(arguments);
  record_kernel(name, grid, block, shared_bytes, or_default(stream), call.correlation, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaGraphLaunch(FakeKernel kernel, const char* name, int nodes,
                                     void** arguments, cudaStream_t stream) {
  initialize();
  const Call call(Domain::kRuntime, 311, "cudaGraphLaunch_v10000");
  FakeStream& on = or_default(stream);
  GraphActivity graph{};
  graph.kind = ActivityKind::kGraphTrace;
  graph.correlation = call.correlation;
  graph.device = on.device;
  graph.context = kContextBase + on.device;
  graph.stream = on.id;
  graph.graph = 5;
  graph.start = std::max(on.busy_until.load(), now());
  for (int i = 0; i < nodes; ++i) {
    kernel(arguments);
    record_kernel(name, 1, 32, 0, on, call.correlation, graph.graph);
  }
  graph.end = on.busy_until.load();
  deliver(graph, graph.end);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  initialize();
  const Call call(Domain::kRuntime, 131, "cudaStreamSynchronize_v3020");
  wait(SyncType::kStream, or_default(stream), call.correlation);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaDeviceSynchronize() {
  initialize();
  const Call call(Domain::kRuntime, 165, "cudaDeviceSynchronize_v3020");
  wait(SyncType::kContext, g_default[t_device], call.correlation);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaEventQuery() {
  initialize();
  const Call call(Domain::kRuntime, 136, "cudaEventQuery_v3020");
  return cudaSuccess;
}

FAKE_API cudaError_t cudaDeviceReset() {
  initialize();
  const Call call(Domain::kRuntime, 164, "cudaDeviceReset_v3020");
  return cudaSuccess;
}

FAKE_API void fake_cuda_overhead() {
  OverheadActivity record{};
  record.kind = ActivityKind::kOverhead;
  record.overhead = OverheadKind::kModuleLoading;
  record.object_kind = ObjectKind::kThread;
  record.object.part[0] = static_cast<uint32_t>(getpid());
  record.object.part[1] = static_cast<uint32_t>(gettid());
  record.start = now();
  record.end = record.start + 1000;
  deliver(record, record.end);
}

FAKE_API void fake_cuda_future_record() {
  const Activity record{static_cast<ActivityKind>(222)};
  deliver(record, 0);
}
