// cupti/numbers.h: CUPTI's own numbers that records carry, for both halves.
#pragma once

#include <cstdint>

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

enum class SyncType : uint32_t {
  kUnknown = 0,
  kEvent = 1,
  kStreamWaitsForEvent = 2,
  kStream = 3,
  kContext = 4,
};

enum class MemoryOperation : uint32_t { kAllocation = 1, kRelease = 2 };
enum class PoolType : uint32_t { kLocal = 1, kImported = 2 };
enum class PoolOperation : uint32_t { kCreated = 1, kDestroyed = 2, kTrimmed = 3 };

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

enum class ObjectKind : uint32_t {
  kUnknown = 0,
  kProcess = 1,
  kThread = 2,
  kDevice = 3,
  kContext = 4,
  kStream = 5,
};

enum MarkerFlag : uint32_t { kMarkerInstant = 1, kMarkerStart = 2, kMarkerEnd = 4 };

enum class Domain : uint32_t { kDriver = 1, kRuntime = 2, kResource = 3, kSynchronize = 4 };

inline constexpr uint32_t kCopyIsAsynchronous = 1;  // bit of a copy's flags

}  // namespace perseid::cupti
