// cupti/events.h: what the CUDA producer writes.
//
// Times are nanoseconds of CLOCK_MONOTONIC, or of CUPTI's own clock once a `clock` record has said
// so. "place" is context | stream << 32, "cause" is correlation id | device << 32.
#pragma once

#include "capture/record.h"

namespace perseid::cupti {

enum Event : uint8_t {
  kLibraryRecord = 1,
  kClockRecord = 2,
  kCallBeginRecord = 3,
  kCallEndRecord = 4,
  kKernelRecord = 5,
  kCopyRecord = 6,
  kSetRecord = 7,
  kSyncRecord = 8,
  kMemoryRecord = 9,
  kPoolRecord = 10,
  kOverheadRecord = 11,
  kGraphRecord = 12,
  kDeviceRecord = 13,
  kContextRecord = 14,
  kStreamRecord = 15,
  kNameRecord = 16,
  kMarkerRecord = 17,
  kDroppedRecord = 18,
  kUnknownKindRecord = 19,
};

inline constexpr EventInfo kEvents[] = {
    {kLibraryRecord, "library", "version of CUPTI", "string id of the file"},
    {kClockRecord, "clock", "0", "CLOCK_MONOTONIC ns, CUPTI's clock at that time"},
    {kCallBeginRecord, "call_begin", "string id of the function",
     "correlation id | Domain << 32, callback id"},
    {kCallEndRecord, "call_end", "what the function returned", "correlation id | Domain << 32"},
    {kKernelRecord, "kernel", "string id of the mangled name",
     "cause, start, end, place, grid x | y << 32, grid z | block x << 32, block y | z << 32, "
     "registers per thread | static shared bytes << 32, dynamic shared bytes | graph << 32"},
    {kCopyRecord, "copy", "CopyKind | MemoryKind from << 8 | MemoryKind to << 16 | flags << 24",
     "cause, start, end, place, bytes, from device | to device << 32, graph"},
    {kSetRecord, "set", "value", "cause, start, end, place, bytes, MemoryKind | graph << 32"},
    {kSyncRecord, "sync", "SyncType", "correlation id | event << 32, start, end, place"},
    {kMemoryRecord, "memory", "MemoryOperation | MemoryKind << 8",
     "cause, time, address, bytes, place, address of the pool or 0, its bytes, those in use or ~0"},
    {kPoolRecord, "pool", "PoolOperation",
     "cause, time, address, bytes, those in use or ~0 if nobody knows"},
    {kOverheadRecord, "overhead", "OverheadKind", "start, end, ObjectKind, thread"},
    {kGraphRecord, "graph", "graph", "cause, start, end, place"},
    {kDeviceRecord, "device", "device number",
     "string id of the name, bytes of memory, "
     "multiprocessors, compute capability major | minor << 32"},
    {kContextRecord, "context", "context", "device | default stream << 32"},
    {kStreamRecord, "stream", "stream", "context, priority"},
    {kNameRecord, "name", "string id of the name", "ObjectKind, device | context << 32, stream"},
    {kMarkerRecord, "marker", "string id of the name, 0 at an end",
     "MarkerFlag | id << 32, time, string id of the domain | thread << 32"},
    {kDroppedRecord, "dropped", "0", "records that CUPTI or we had no room for"},
    {kUnknownKindRecord, "unknown_records", "activity kind", "how many"},
};

inline constexpr uint64_t kUnknownBytes = UINT64_MAX;

inline constexpr uint16_t kind(Event event) noexcept {
  return make_kind(ProducerId::kCupti, event);
}

}  // namespace perseid::cupti
