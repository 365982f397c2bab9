// cupti/record/api.h: the part of NVIDIA's CUPTI that we call, in declarations of our own.
//
// The library is found at run time, so that one build serves machines with and without CUDA, and
// needs no toolkit. tests/unit/cupti compares every number and offset here with NVIDIA's headers
// where a toolkit is installed. A structure holds what CUPTI 11.0 wrote first; members that
// were added later name their version, and may be read only from that version on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/numbers.h"

namespace perseid::cupti {

// Versions as cuptiGetVersion() returns them. From CUDA 13.0 on they count differently, still
// upwards.
inline constexpr uint32_t kVersion11_0 = 13;
inline constexpr uint32_t kVersion11_1 = 14;
inline constexpr uint32_t kVersion11_2 = 15;
inline constexpr uint32_t kVersion11_5 = 16;
inline constexpr uint32_t kVersion11_6 = 17;
inline constexpr uint32_t kVersion12_3 = 21;
inline constexpr uint32_t kVersion12_9 = 27;
inline constexpr uint32_t kVersion13_0 = 130000;

enum class Result : int {
  kSuccess = 0,
  kInvalidParameter = 1,
  kMaxLimitReached = 12,
  kNotInitialized = 15,
  kInvalidKind = 21,
  kInsufficientPrivileges = 35,
  kMultipleSubscribers = 39,
  kUnknown = 999,
};

enum class ActivityKind : uint32_t {
  kCopy = 1,
  kSet = 2,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kName = 11,
  kMarker = 12,
  kOverhead = 17,
  kPeerCopy = 22,
  kStream = 37,
  kSynchronization = 38,
  kMemory2 = 49,
  kMemoryPool = 50,
  kGraphTrace = 51,
};

enum class Attribute : int { kPerThreadBuffers = 9 };

struct Activity {
  ActivityKind kind;
};

struct KernelActivity {
  ActivityKind kind;
  uint8_t cache_config;
  uint8_t shared_memory_config;
  uint16_t registers_per_thread;
  uint32_t cache_requested[2];
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  int32_t grid[3];
  int32_t block[3];
  int32_t static_shared_bytes;
  int32_t dynamic_shared_bytes;
  uint32_t local_bytes_per_thread;
  uint32_t local_bytes;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued;
  uint64_t submitted;
  uint8_t launch_type;
  uint8_t is_carveout_requested;
  uint8_t carveout_requested;
  uint8_t carveout;
  uint32_t shared_bytes_executed;
  uint64_t graph_node;  // since 11.0
  uint32_t shared_limit_config;
  uint32_t graph;  // since 11.1
};

struct CopyActivity {
  ActivityKind kind;
  uint8_t copy_kind;
  uint8_t source_kind;
  uint8_t target_kind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
  uint32_t runtime_correlation;
  uint32_t padding;
  void* reserved;
  uint64_t graph_node;  // since 11.0
  uint32_t graph;       // since 11.1
};

struct PeerCopyActivity {
  ActivityKind kind;
  uint8_t copy_kind;
  uint8_t source_kind;
  uint8_t target_kind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t source_device;
  uint32_t source_context;
  uint32_t target_device;
  uint32_t target_context;
  uint32_t correlation;
  void* reserved;
  uint64_t graph_node;  // since 11.0
  uint32_t graph;       // since 11.1
};

struct SetActivity {
  ActivityKind kind;
  uint32_t value;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
  uint16_t flags;
  uint16_t memory_kind;
  uint32_t padding;
  void* reserved;
  uint64_t graph_node;  // since 11.0
  uint32_t graph;       // since 11.1
};

struct SyncActivity {
  ActivityKind kind;
  SyncType type;
  uint64_t start;
  uint64_t end;
  uint32_t correlation;
  uint32_t context;
  uint32_t stream;
  uint32_t event;
};

/// Since 11.2, with CUPTI_ACTIVITY_KIND_MEMORY2. The older kind has another layout.
struct MemoryActivity {
  ActivityKind kind;
  MemoryOperation operation;
  uint32_t memory_kind;
  uint32_t correlation;
  uint64_t address;
  uint64_t bytes;
  uint64_t timestamp;
  uint64_t code;
  uint32_t process;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  const char* name;
  uint32_t is_async;
  uint32_t padding_1;
  PoolType pool_type;  // from here on, of the pool that an asynchronous operation uses
  uint32_t padding_2;
  uint64_t pool_address;
  uint64_t pool_release_threshold;
  uint64_t pool_bytes;
  uint64_t pool_used_bytes;  // since 11.5
};

struct PoolActivity {
  ActivityKind kind;
  PoolOperation operation;
  PoolType pool_type;
  uint32_t correlation;
  uint32_t process;
  uint32_t device;
  uint64_t min_bytes_to_keep;
  uint64_t address;
  uint64_t size;
  uint64_t release_threshold;
  uint64_t timestamp;
  uint64_t used_bytes;  // since 11.5
};

/// A union of CUPTI's: process and thread, or device, context and stream.
struct ObjectId {
  uint32_t part[3];
};

struct OverheadActivity {
  ActivityKind kind;
  OverheadKind overhead;
  ObjectKind object_kind;
  ObjectId object;
  uint64_t start;
  uint64_t end;
};

/// Since 11.7.
struct GraphActivity {
  ActivityKind kind;
  uint32_t correlation;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t graph;
  uint32_t context;
  uint32_t stream;
};

struct DeviceActivity {
  ActivityKind kind;
  uint32_t flags;
  uint64_t memory_bandwidth;
  uint64_t memory_bytes;
  uint32_t properties_1[4];
  uint32_t copy_engines;
  uint32_t multiprocessors;
  uint32_t properties_2[14];
  uint32_t capability_major;
  uint32_t capability_minor;
  uint32_t id;
  uint32_t is_ecc;
  uint8_t uuid[16];
  const char* name;
};

struct ContextActivity {
  ActivityKind kind;
  uint32_t context;
  uint32_t device;
  uint16_t api_kind;
  uint16_t null_stream;
};

struct StreamActivity {
  ActivityKind kind;
  uint32_t context;
  uint32_t stream;
  uint32_t priority;
  uint32_t flag;
  uint32_t correlation;
};

struct NameActivity {
  ActivityKind kind;
  ObjectKind object_kind;
  ObjectId object;
  uint32_t padding;
  const char* name;
};

struct MarkerActivity {
  ActivityKind kind;
  uint32_t flags;
  uint64_t timestamp;
  uint32_t id;
  ObjectKind object_kind;
  ObjectId object;
  uint32_t padding;
  const char* name;
  const char* domain;
};

enum class CallbackSite : int { kEnter = 0, kExit = 1 };

struct CallbackData {
  CallbackSite site;
  const char* function;
  const void* parameters;
  const void* return_value;  // of an int; valid at kExit
  const char* symbol;
  void* context;
  uint32_t context_uid;
  uint64_t* correlation_data;  // 64 bits that the two sites of a call share
  uint32_t correlation;
};

struct SubscriberParameters {
  size_t size;
  const char* name;
  char* other_name;  // receives who is there already
  size_t other_size;
};

using Subscriber = struct SubscriberState*;
using Callback = void (*)(void* user, Domain domain, uint32_t callback_id, const void* data);
using BufferRequested = void (*)(uint8_t** buffer, size_t* size, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t size,
                                 size_t valid_bytes);
using Timestamp = uint64_t (*)();

inline constexpr uint32_t kFlushForced = 1;

}  // namespace perseid::cupti
