// tests/unit/cupti/api_test.cpp: our declarations are those of NVIDIA's own headers.
#include "cupti/record/api.h"

#include <cupti.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "cupti/record/call_list.h"
#include "tests/doubles/cupti/layouts.h"

namespace perseid::cupti {
namespace {

template <class Ours, class Theirs>
void expect_same(Ours ours, Theirs theirs) {
  EXPECT_EQ(static_cast<int64_t>(ours), static_cast<int64_t>(theirs));
}

#define EXPECT_MEMBER(Ours, ours, Theirs, theirs)            \
  EXPECT_EQ(offsetof(Ours, ours), offsetof(Theirs, theirs)); \
  EXPECT_EQ(sizeof(Ours::ours), sizeof(Theirs::theirs)) << #theirs

TEST(CuptiApi, KernelsAreLaidOutAlike) {
  using Theirs = CUpti_ActivityKernel10;
  EXPECT_MEMBER(KernelActivity, kind, Theirs, kind);
  EXPECT_MEMBER(KernelActivity, registers_per_thread, Theirs, registersPerThread);
  EXPECT_MEMBER(KernelActivity, start, Theirs, start);
  EXPECT_MEMBER(KernelActivity, end, Theirs, end);
  EXPECT_MEMBER(KernelActivity, device, Theirs, deviceId);
  EXPECT_MEMBER(KernelActivity, context, Theirs, contextId);
  EXPECT_MEMBER(KernelActivity, stream, Theirs, streamId);
  EXPECT_EQ(offsetof(KernelActivity, grid), offsetof(Theirs, gridX));
  EXPECT_EQ(offsetof(KernelActivity, block), offsetof(Theirs, blockX));
  EXPECT_MEMBER(KernelActivity, static_shared_bytes, Theirs, staticSharedMemory);
  EXPECT_MEMBER(KernelActivity, dynamic_shared_bytes, Theirs, dynamicSharedMemory);
  EXPECT_MEMBER(KernelActivity, correlation, Theirs, correlationId);
  EXPECT_MEMBER(KernelActivity, name, Theirs, name);
  EXPECT_MEMBER(KernelActivity, graph_node, Theirs, graphNodeId);
  EXPECT_MEMBER(KernelActivity, graph, Theirs, graphId);
}

template <class Ours, class Theirs>
void expect_like_copy() {
  EXPECT_MEMBER(Ours, copy_kind, Theirs, copyKind);
  EXPECT_MEMBER(Ours, source_kind, Theirs, srcKind);
  EXPECT_MEMBER(Ours, target_kind, Theirs, dstKind);
  EXPECT_MEMBER(Ours, flags, Theirs, flags);
  EXPECT_MEMBER(Ours, bytes, Theirs, bytes);
  EXPECT_MEMBER(Ours, start, Theirs, start);
  EXPECT_MEMBER(Ours, end, Theirs, end);
  EXPECT_MEMBER(Ours, device, Theirs, deviceId);
  EXPECT_MEMBER(Ours, context, Theirs, contextId);
  EXPECT_MEMBER(Ours, stream, Theirs, streamId);
  EXPECT_MEMBER(Ours, correlation, Theirs, correlationId);
  EXPECT_MEMBER(Ours, graph, Theirs, graphId);
}

TEST(CuptiApi, CopiesAndSetsAreLaidOutAlike) {
  expect_like_copy<CopyActivity, CUpti_ActivityMemcpy6>();
  expect_like_copy<PeerCopyActivity, CUpti_ActivityMemcpyPtoP4>();
  EXPECT_MEMBER(PeerCopyActivity, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
  EXPECT_MEMBER(PeerCopyActivity, target_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
  using Set = CUpti_ActivityMemset4;
  EXPECT_MEMBER(SetActivity, value, Set, value);
  EXPECT_MEMBER(SetActivity, bytes, Set, bytes);
  EXPECT_MEMBER(SetActivity, start, Set, start);
  EXPECT_MEMBER(SetActivity, end, Set, end);
  EXPECT_MEMBER(SetActivity, device, Set, deviceId);
  EXPECT_MEMBER(SetActivity, context, Set, contextId);
  EXPECT_MEMBER(SetActivity, stream, Set, streamId);
  EXPECT_MEMBER(SetActivity, correlation, Set, correlationId);
  EXPECT_MEMBER(SetActivity, memory_kind, Set, memoryKind);
  EXPECT_MEMBER(SetActivity, graph, Set, graphId);
}

TEST(CuptiApi, OtherRecordsAreLaidOutAlike) {
  using Sync = CUpti_ActivitySynchronization2;
  EXPECT_MEMBER(SyncActivity, type, Sync, type);
  EXPECT_MEMBER(SyncActivity, start, Sync, start);
  EXPECT_MEMBER(SyncActivity, end, Sync, end);
  EXPECT_MEMBER(SyncActivity, correlation, Sync, correlationId);
  EXPECT_MEMBER(SyncActivity, context, Sync, contextId);
  EXPECT_MEMBER(SyncActivity, stream, Sync, streamId);
  EXPECT_MEMBER(SyncActivity, event, Sync, cudaEventId);
  using Memory = CUpti_ActivityMemory4;
  EXPECT_MEMBER(MemoryActivity, operation, Memory, memoryOperationType);
  EXPECT_MEMBER(MemoryActivity, memory_kind, Memory, memoryKind);
  EXPECT_MEMBER(MemoryActivity, correlation, Memory, correlationId);
  EXPECT_MEMBER(MemoryActivity, address, Memory, address);
  EXPECT_MEMBER(MemoryActivity, bytes, Memory, bytes);
  EXPECT_MEMBER(MemoryActivity, timestamp, Memory, timestamp);
  EXPECT_MEMBER(MemoryActivity, device, Memory, deviceId);
  EXPECT_MEMBER(MemoryActivity, context, Memory, contextId);
  EXPECT_MEMBER(MemoryActivity, stream, Memory, streamId);
  EXPECT_MEMBER(MemoryActivity, is_async, Memory, isAsync);
  EXPECT_MEMBER(MemoryActivity, pool_type, Memory, memoryPoolConfig.memoryPoolType);
  EXPECT_MEMBER(MemoryActivity, pool_address, Memory, memoryPoolConfig.address);
  EXPECT_MEMBER(MemoryActivity, pool_bytes, Memory, memoryPoolConfig.pool.size);
  EXPECT_MEMBER(MemoryActivity, pool_used_bytes, Memory, memoryPoolConfig.utilizedSize);
  using Pool = CUpti_ActivityMemoryPool3;
  EXPECT_MEMBER(PoolActivity, operation, Pool, memoryPoolOperationType);
  EXPECT_MEMBER(PoolActivity, device, Pool, deviceId);
  EXPECT_MEMBER(PoolActivity, address, Pool, address);
  EXPECT_MEMBER(PoolActivity, size, Pool, size);
  EXPECT_MEMBER(PoolActivity, timestamp, Pool, timestamp);
  EXPECT_MEMBER(PoolActivity, pool_type, Pool, memoryPoolType);
  EXPECT_MEMBER(PoolActivity, used_bytes, Pool, utilizedSize);
  using Overhead = CUpti_ActivityOverhead3;
  EXPECT_MEMBER(OverheadActivity, overhead, Overhead, overheadKind);
  EXPECT_MEMBER(OverheadActivity, object_kind, Overhead, objectKind);
  EXPECT_MEMBER(OverheadActivity, object, Overhead, objectId);
  EXPECT_MEMBER(OverheadActivity, start, Overhead, start);
  EXPECT_MEMBER(OverheadActivity, end, Overhead, end);
  using Graph = CUpti_ActivityGraphTrace2;
  EXPECT_MEMBER(GraphActivity, correlation, Graph, correlationId);
  EXPECT_MEMBER(GraphActivity, start, Graph, start);
  EXPECT_MEMBER(GraphActivity, device, Graph, deviceId);
  EXPECT_MEMBER(GraphActivity, graph, Graph, graphId);
  EXPECT_MEMBER(GraphActivity, context, Graph, contextId);
  EXPECT_MEMBER(GraphActivity, stream, Graph, streamId);
  using Device = CUpti_ActivityDevice5;
  EXPECT_MEMBER(DeviceActivity, memory_bytes, Device, globalMemorySize);
  EXPECT_MEMBER(DeviceActivity, multiprocessors, Device, numMultiprocessors);
  EXPECT_MEMBER(DeviceActivity, capability_major, Device, computeCapabilityMajor);
  EXPECT_MEMBER(DeviceActivity, id, Device, id);
  EXPECT_MEMBER(DeviceActivity, name, Device, name);
  using Context = CUpti_ActivityContext3;
  EXPECT_MEMBER(ContextActivity, context, Context, contextId);
  EXPECT_MEMBER(ContextActivity, device, Context, deviceId);
  EXPECT_MEMBER(ContextActivity, null_stream, Context, nullStreamId);
  EXPECT_MEMBER(StreamActivity, context, CUpti_ActivityStream, contextId);
  EXPECT_MEMBER(StreamActivity, stream, CUpti_ActivityStream, streamId);
  EXPECT_MEMBER(StreamActivity, priority, CUpti_ActivityStream, priority);
  EXPECT_MEMBER(NameActivity, object, CUpti_ActivityName, objectId);
  EXPECT_MEMBER(NameActivity, name, CUpti_ActivityName, name);
  using Marker = CUpti_ActivityMarker2;
  EXPECT_MEMBER(MarkerActivity, flags, Marker, flags);
  EXPECT_MEMBER(MarkerActivity, timestamp, Marker, timestamp);
  EXPECT_MEMBER(MarkerActivity, id, Marker, id);
  EXPECT_MEMBER(MarkerActivity, object, Marker, objectId);
  EXPECT_MEMBER(MarkerActivity, name, Marker, name);
  EXPECT_MEMBER(MarkerActivity, domain, Marker, domain);
}

TEST(CuptiApi, CallbacksAreLaidOutAlike) {
  EXPECT_EQ(sizeof(CallbackData), sizeof(CUpti_CallbackData));
  EXPECT_MEMBER(CallbackData, site, CUpti_CallbackData, callbackSite);
  EXPECT_MEMBER(CallbackData, function, CUpti_CallbackData, functionName);
  EXPECT_MEMBER(CallbackData, return_value, CUpti_CallbackData, functionReturnValue);
  EXPECT_MEMBER(CallbackData, correlation_data, CUpti_CallbackData, correlationData);
  EXPECT_MEMBER(CallbackData, correlation, CUpti_CallbackData, correlationId);
  expect_same(CallbackSite::kEnter, CUPTI_API_ENTER);
  expect_same(CallbackSite::kExit, CUPTI_API_EXIT);
  expect_same(Domain::kDriver, CUPTI_CB_DOMAIN_DRIVER_API);
  expect_same(Domain::kRuntime, CUPTI_CB_DOMAIN_RUNTIME_API);
  expect_same(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
#if CUPTI_API_VERSION >= 130000
  EXPECT_EQ(sizeof(SubscriberParameters), CUpti_SubscriberParams_STRUCT_SIZE);
  EXPECT_MEMBER(SubscriberParameters, name, CUpti_SubscriberParams, subscriberName);
  EXPECT_MEMBER(SubscriberParameters, other_name, CUpti_SubscriberParams, oldSubscriberName);
#endif
}

TEST(CuptiApi, NumbersAreTheSame) {
  expect_same(Result::kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
  expect_same(Result::kInvalidKind, CUPTI_ERROR_INVALID_KIND);
  expect_same(Result::kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  expect_same(Result::kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  expect_same(Result::kUnknown, CUPTI_ERROR_UNKNOWN);
  expect_same(ActivityKind::kCopy, CUPTI_ACTIVITY_KIND_MEMCPY);
  expect_same(ActivityKind::kPeerCopy, CUPTI_ACTIVITY_KIND_MEMCPY2);
  expect_same(ActivityKind::kSet, CUPTI_ACTIVITY_KIND_MEMSET);
  expect_same(ActivityKind::kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  expect_same(ActivityKind::kDevice, CUPTI_ACTIVITY_KIND_DEVICE);
  expect_same(ActivityKind::kContext, CUPTI_ACTIVITY_KIND_CONTEXT);
  expect_same(ActivityKind::kStream, CUPTI_ACTIVITY_KIND_STREAM);
  expect_same(ActivityKind::kName, CUPTI_ACTIVITY_KIND_NAME);
  expect_same(ActivityKind::kMarker, CUPTI_ACTIVITY_KIND_MARKER);
  expect_same(ActivityKind::kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
  expect_same(ActivityKind::kSynchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
  expect_same(ActivityKind::kMemory2, CUPTI_ACTIVITY_KIND_MEMORY2);
  expect_same(ActivityKind::kMemoryPool, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
  expect_same(ActivityKind::kGraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  expect_same(Attribute::kPerThreadBuffers, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
  expect_same(CopyKind::kDeviceToHost, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  expect_same(CopyKind::kPeerToPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP);
  expect_same(MemoryKind::kPinned, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  expect_same(MemoryKind::kManagedStatic, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC);
  expect_same(SyncType::kContext, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
  expect_same(MemoryOperation::kRelease, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE);
  expect_same(PoolType::kLocal, CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL);
  expect_same(PoolOperation::kTrimmed, CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED);
  expect_same(OverheadKind::kManagedMemory, CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT);
  expect_same(ObjectKind::kStream, CUPTI_ACTIVITY_OBJECT_STREAM);
  expect_same(kMarkerStart, CUPTI_ACTIVITY_FLAG_MARKER_START);
  expect_same(kMarkerEnd, CUPTI_ACTIVITY_FLAG_MARKER_END);
}

bool is_listed(std::span<const CallRange> ranges, uint32_t id) {
  return std::ranges::any_of(
      ranges, [id](const CallRange& range) { return id >= range.first && id <= range.last; });
}

TEST(CuptiApi, LaunchesCopiesAndWaitsAreRecordedAndPollingIsNot) {
  for (const auto id :
       {CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
        CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
        CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
        CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy3DPeerAsync_v4000,
        CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020})
    EXPECT_TRUE(is_listed(kRuntimeCalls, id)) << id;
  expect_same(kDeviceReset, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
  for (const auto id :
       {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
        CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync, CUPTI_DRIVER_TRACE_CBID_cuMemsetD32_v2,
        CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize})
    EXPECT_TRUE(is_listed(kDriverCalls, id)) << id;
  for (const auto id :
       {CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaStreamQuery_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020,
        CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020})
    EXPECT_FALSE(is_listed(kRuntimeCalls, id)) << id;
  for (const auto id : {CUPTI_DRIVER_TRACE_CBID_cuEventQuery, CUPTI_DRIVER_TRACE_CBID_cuStreamQuery,
                        CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent})
    EXPECT_FALSE(is_listed(kDriverCalls, id)) << id;
}

TEST(CuptiApi, TheDoubleWritesRecordsOfTheRightSize) {
  EXPECT_EQ(record_bytes(ActivityKind::kConcurrentKernel, 13), sizeof(CUpti_ActivityKernel5));
  EXPECT_EQ(record_bytes(ActivityKind::kConcurrentKernel, 18), sizeof(CUpti_ActivityKernel8));
  EXPECT_EQ(record_bytes(ActivityKind::kConcurrentKernel, 130001), sizeof(CUpti_ActivityKernel10));
  EXPECT_EQ(record_bytes(ActivityKind::kCopy, 13), sizeof(CUpti_ActivityMemcpy3));
  EXPECT_EQ(record_bytes(ActivityKind::kCopy, 130001), sizeof(CUpti_ActivityMemcpy6));
  EXPECT_EQ(record_bytes(ActivityKind::kPeerCopy, 13), sizeof(CUpti_ActivityMemcpyPtoP2));
  EXPECT_EQ(record_bytes(ActivityKind::kSet, 17), sizeof(CUpti_ActivityMemset4));
  EXPECT_EQ(record_bytes(ActivityKind::kSynchronization, 13),
            sizeof(CUpti_ActivitySynchronization));
  EXPECT_EQ(record_bytes(ActivityKind::kMemory2, 15), sizeof(CUpti_ActivityMemory2));
  EXPECT_EQ(record_bytes(ActivityKind::kMemory2, 16), sizeof(CUpti_ActivityMemory3));
  EXPECT_EQ(record_bytes(ActivityKind::kMemory2, 130001), sizeof(CUpti_ActivityMemory4));
  EXPECT_EQ(record_bytes(ActivityKind::kMemoryPool, 15), sizeof(CUpti_ActivityMemoryPool));
  EXPECT_EQ(record_bytes(ActivityKind::kMemoryPool, 16), sizeof(CUpti_ActivityMemoryPool2));
  EXPECT_EQ(record_bytes(ActivityKind::kMemoryPool, 130001), sizeof(CUpti_ActivityMemoryPool3));
  EXPECT_EQ(record_bytes(ActivityKind::kName, 130001), sizeof(CUpti_ActivityName));
  EXPECT_EQ(record_bytes(ActivityKind::kOverhead, 13), sizeof(CUpti_ActivityOverhead));
  EXPECT_EQ(record_bytes(ActivityKind::kDevice, 13), sizeof(CUpti_ActivityDevice3));
  EXPECT_EQ(record_bytes(ActivityKind::kDevice, 130001), sizeof(CUpti_ActivityDevice5));
  EXPECT_EQ(record_bytes(ActivityKind::kContext, 13), sizeof(CUpti_ActivityContext));
  EXPECT_EQ(record_bytes(ActivityKind::kMarker, 130001), sizeof(CUpti_ActivityMarker2));
}

/// NVIDIA's library itself links and answers, without a driver, too.
TEST(CuptiApi, TheRealLibraryAnswers) {
  uint32_t version = 0;
  EXPECT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_GE(version, kVersion11_0);
}

}  // namespace
}  // namespace perseid::cupti
