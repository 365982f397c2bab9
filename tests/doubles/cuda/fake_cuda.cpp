// tests/doubles/cuda/fake_cuda.cpp: see fake_cuda.h.
#include "tests/doubles/cuda/fake_cuda.h"

#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "tests/doubles/cupti/control.h"

using namespace perseid::cupti;

struct FakeStream {
  uint32_t id;
  uint32_t device;
  std::atomic<uint64_t> busy_until{0};
};

namespace {

constexpr uint32_t kContextBase = 1;  // device 0 has context 1, device 1 has context 2
constexpr uint64_t kNsPerByte = 1;
constexpr uint64_t kKernelNs = 5000;

const DoubleControl* g_cupti = nullptr;  // null: nobody listens
std::atomic<uint32_t> g_next_correlation{1};
std::atomic<uint32_t> g_next_stream{7};
std::atomic<uint32_t> g_next_marker{1};
thread_local uint32_t t_device = 0;
FakeStream g_default[2] = {{7, 0}, {7, 1}};

template <class Record>
void tell(const Record& record, uint64_t end) {
  if (g_cupti) g_cupti->record(record.kind, &record, end);
}

uint64_t now() { return g_cupti ? g_cupti->now() : 0; }

/// What cuInit does: the driver loads the tool that the variable names.
void initialize() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const char* tool = std::getenv("CUDA_INJECTION64_PATH")) {
      if (void* library = dlopen(tool, RTLD_NOW)) {
        if (void* door = dlsym(library, "InitializeInjection")) reinterpret_cast<int (*)()>(door)();
      }
    }
    const char* path = std::getenv("PERSEID_CUPTI");
    void* cupti = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    void* control = cupti ? dlsym(cupti, "perseid_double_control") : nullptr;
    if (control) g_cupti = reinterpret_cast<const DoubleControl* (*)()>(control)();
    for (uint32_t device = 0; device < 2; ++device) {
      ContextActivity context{};
      context.kind = ActivityKind::kContext;
      context.context = kContextBase + device;
      context.device = device;
      context.null_stream = 7;
      tell(context, 0);
    }
  });
}

/// A call of the runtime's, seen by who subscribed to it; it may call the driver in turn.
class Call {
 public:
  Call(Domain domain, uint32_t id, const char* function)
      : domain_(domain), id_(id), function_(function), correlation(g_next_correlation++) {
    if (g_cupti) g_cupti->call(domain_, id_, function_, correlation, CallbackSite::kEnter, 0);
  }
  ~Call() {
    if (g_cupti) g_cupti->call(domain_, id_, function_, correlation, CallbackSite::kExit, result);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Domain domain_;
  uint32_t id_;
  const char* function_;

 public:
  uint32_t correlation;
  int result = cudaSuccess;
};

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

void tell_kernel(const char* name, int grid, int block, size_t shared_bytes, FakeStream& stream,
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
  tell(record, span.end);
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
  tell(record, record.end);
}

void tell_memory(MemoryOperation operation, void* memory, size_t bytes, uint32_t correlation) {
  MemoryActivity record{};
  record.kind = ActivityKind::kMemory2;
  record.operation = operation;
  record.memory_kind = static_cast<uint32_t>(MemoryKind::kDevice);
  record.correlation = correlation;
  record.address = reinterpret_cast<uint64_t>(memory);
  record.bytes = bytes;
  record.timestamp = now();
  record.device = t_device;
  record.context = kContextBase + t_device;
  tell(record, record.timestamp);
}

}  // namespace

#define FAKE_API extern "C" [[gnu::visibility("default")]]

FAKE_API cudaError_t cudaSetDevice(int device) {
  initialize();
  t_device = static_cast<uint32_t>(device) % 2;
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMalloc(void** memory, size_t bytes) {
  initialize();
  auto* sized = static_cast<size_t*>(std::malloc(bytes + 16));
  *sized = bytes;
  *memory = reinterpret_cast<char*>(sized) + 16;
  tell_memory(MemoryOperation::kAllocation, *memory, bytes, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaFree(void* memory) {
  auto* sized = reinterpret_cast<size_t*>(static_cast<char*>(memory) - 16);
  tell_memory(MemoryOperation::kRelease, memory, *sized, 0);
  std::free(sized);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  initialize();
  *stream = new FakeStream{++g_next_stream, t_device};
  StreamActivity record{};
  record.kind = ActivityKind::kStream;
  record.context = kContextBase + t_device;
  record.stream = (*stream)->id;
  tell(record, 0);
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
  tell(record, record.end);
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
  tell(record, record.end);
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
  tell(record, record.end);
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
  tell_kernel(name, grid, block, shared_bytes, or_default(stream), driver.correlation, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cuLaunchKernel(FakeKernel kernel, const char* name, int grid, int block,
                                    void** arguments, size_t shared_bytes, cudaStream_t stream) {
  initialize();
  const Call call(Domain::kDriver, 307, "cuLaunchKernel");
  kernel(arguments);
  tell_kernel(name, grid, block, shared_bytes, or_default(stream), call.correlation, 0);
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
    tell_kernel(name, 1, 32, 0, on, call.correlation, graph.graph);
  }
  graph.end = on.busy_until.load();
  tell(graph, graph.end);
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
  tell(record, record.end);
}

FAKE_API void fake_cuda_range(const char* name) {
  // What NVTX does before a program's first range.
  static const bool has_tool = [] {
    const char* tool = std::getenv("NVTX_INJECTION64_PATH");
    void* library = tool ? dlopen(tool, RTLD_NOW) : nullptr;
    void* door = library ? dlsym(library, "InitializeInjectionNvtx2") : nullptr;
    return door && reinterpret_cast<int (*)(void*)>(door)(nullptr) == 1;
  }();
  if (!has_tool) return;
  MarkerActivity record{};
  record.kind = ActivityKind::kMarker;
  record.id = g_next_marker++;
  record.object_kind = ObjectKind::kThread;
  record.object.part[1] = static_cast<uint32_t>(gettid());
  record.flags = kMarkerStart;
  record.name = name;
  record.domain = "test";
  record.timestamp = now();
  tell(record, record.timestamp);
  record.flags = kMarkerEnd;
  record.name = nullptr;
  record.timestamp += 2000;
  tell(record, record.timestamp);
}

FAKE_API void fake_cuda_future_record() {
  const Activity record{static_cast<ActivityKind>(222)};
  tell(record, 0);
}
