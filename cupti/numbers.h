// cupti/numbers.h: CUPTI's own numbers that records carry, for both halves.
#pragma once

#include "capture/event_info.h"

namespace perseid::cupti {

enum class CopyKind : uint8_t {
  kUnknown = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kHostToArray = 3,
  kArrayToHost = 4,
  kArrayToArray = 5,
  kArrayToDevice = 6,
  kDeviceToArray = 7,
  kDeviceToDevice = 8,
  kHostToHost = 9,
  kPeerToPeer = 10,
};
inline constexpr ValueName kCopyKindNames[] = {
    {CopyKind::kUnknown, "unknown"},
    {CopyKind::kHostToDevice, "host_to_device"},
    {CopyKind::kDeviceToHost, "device_to_host"},
    {CopyKind::kHostToArray, "host_to_array"},
    {CopyKind::kArrayToHost, "array_to_host"},
    {CopyKind::kArrayToArray, "array_to_array"},
    {CopyKind::kArrayToDevice, "array_to_device"},
    {CopyKind::kDeviceToArray, "device_to_array"},
    {CopyKind::kDeviceToDevice, "device_to_device"},
    {CopyKind::kHostToHost, "host_to_host"},
    {CopyKind::kPeerToPeer, "peer_to_peer"},
};

enum class MemoryKind : uint8_t {
  kUnknown = 0,
  kPageable = 1,
  kPinned = 2,
  kDevice = 3,
  kArray = 4,
  kManaged = 5,
  kDeviceStatic = 6,
  kManagedStatic = 7,
};
inline constexpr ValueName kMemoryKindNames[] = {
    {MemoryKind::kUnknown, "unknown"},
    {MemoryKind::kPageable, "pageable"},
    {MemoryKind::kPinned, "pinned"},
    {MemoryKind::kDevice, "device"},
    {MemoryKind::kArray, "array"},
    {MemoryKind::kManaged, "managed"},
    {MemoryKind::kDeviceStatic, "device_static"},
    {MemoryKind::kManagedStatic, "managed_static"},
};

enum class SyncType : uint32_t {
  kUnknown = 0,
  kEvent = 1,
  kStreamWaitsForEvent = 2,
  kStream = 3,
  kContext = 4,
};
inline constexpr ValueName kSyncTypeNames[] = {
    {SyncType::kUnknown, "unknown"},
    {SyncType::kEvent, "event"},
    {SyncType::kStreamWaitsForEvent, "stream_waits_for_event"},
    {SyncType::kStream, "stream"},
    {SyncType::kContext, "context"},
};

enum class MemoryOperation : uint32_t { kAllocation = 1, kRelease = 2 };
inline constexpr ValueName kMemoryOperationNames[] = {
    {MemoryOperation::kAllocation, "allocation"},
    {MemoryOperation::kRelease, "release"},
};
enum class PoolType : uint32_t { kLocal = 1, kImported = 2 };
enum class PoolOperation : uint32_t { kCreated = 1, kDestroyed = 2, kTrimmed = 3 };
inline constexpr ValueName kPoolOperationNames[] = {
    {PoolOperation::kCreated, "created"},
    {PoolOperation::kDestroyed, "destroyed"},
    {PoolOperation::kTrimmed, "trimmed"},
};

enum class OverheadKind : uint32_t {
  kUnknown = 0,
  kCompiler = 1,
  kBufferFlush = 1 << 16,
  kInstrumentation = 2 << 16,
  kResource = 3 << 16,
  kModuleLoading = 4 << 16,
  kFunctionLoading = 5 << 16,
  kCommandBufferFull = 6 << 16,
  kBufferRequest = 7 << 16,
  kManagedMemory = 8 << 16,
};
inline constexpr ValueName kOverheadKindNames[] = {
    {OverheadKind::kUnknown, "unknown"},
    {OverheadKind::kCompiler, "compiler"},
    {OverheadKind::kBufferFlush, "buffer_flush"},
    {OverheadKind::kInstrumentation, "instrumentation"},
    {OverheadKind::kResource, "resource"},
    {OverheadKind::kModuleLoading, "module_loading"},
    {OverheadKind::kFunctionLoading, "function_loading"},
    {OverheadKind::kCommandBufferFull, "command_buffer_full"},
    {OverheadKind::kBufferRequest, "buffer_request"},
    {OverheadKind::kManagedMemory, "managed_memory"},
};

enum class ObjectKind : uint32_t {
  kUnknown = 0,
  kProcess = 1,
  kThread = 2,
  kDevice = 3,
  kContext = 4,
  kStream = 5,
};
inline constexpr ValueName kObjectKindNames[] = {
    {ObjectKind::kUnknown, "unknown"}, {ObjectKind::kProcess, "process"},
    {ObjectKind::kThread, "thread"},   {ObjectKind::kDevice, "device"},
    {ObjectKind::kContext, "context"}, {ObjectKind::kStream, "stream"},
};

enum MarkerFlag : uint32_t { kMarkerInstant = 1, kMarkerStart = 2, kMarkerEnd = 4 };
inline constexpr ValueName kMarkerFlagNames[] = {
    {kMarkerInstant, "instant"},
    {kMarkerStart, "start"},
    {kMarkerEnd, "end"},
};

enum class Domain : uint32_t { kDriver = 1, kRuntime = 2, kResource = 3, kSynchronize = 4 };
inline constexpr ValueName kDomainNames[] = {
    {Domain::kDriver, "driver"},
    {Domain::kRuntime, "runtime"},
    {Domain::kResource, "resource"},
    {Domain::kSynchronize, "synchronize"},
};

inline constexpr uint32_t kCopyIsAsynchronous = 1;  // bit of a copy's flags
inline constexpr ValueName kCopyFlagNames[] = {{kCopyIsAsynchronous, "asynchronous"}};

}  // namespace perseid::cupti
