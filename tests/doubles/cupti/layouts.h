// tests/doubles/cupti/layouts.h: how large each record was in each version of CUPTI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cupti/record/api.h"

namespace perseid::cupti {

/// Of the structure that CUPTI of `version` writes for `kind`; 0 if it has no such kind.
constexpr size_t record_bytes(ActivityKind kind, uint32_t version) {
  struct Step {
    uint32_t since;
    size_t bytes;
  };
  const auto pick = [version](std::initializer_list<Step> steps) {
    size_t bytes = 0;
    for (const Step& step : steps) {
      if (version >= step.since) bytes = step.bytes;
    }
    return bytes;
  };
  switch (kind) {
    case ActivityKind::kConcurrentKernel:
      return pick({{0, 160}, {14, 168}, {17, 176}, {18, 200}, {19, 208}, {130000, 216}});
    case ActivityKind::kCopy:
      return pick({{0, 72}, {14, 80}, {17, 88}, {26, 96}});
    case ActivityKind::kPeerCopy:
      return pick({{0, 80}, {14, 88}, {17, 96}});
    case ActivityKind::kSet:
      return pick({{0, 72}, {14, 80}, {17, 88}});
    case ActivityKind::kSynchronization:
      return pick({{0, 40}, {26, 56}});
    case ActivityKind::kMemory2:
      return pick({{15, 112}, {16, 120}, {26, 128}});
    case ActivityKind::kMemoryPool:
      return pick({{15, 64}, {16, 72}, {26, 80}});
    case ActivityKind::kOverhead:
      return pick({{0, 40}, {20, 48}, {22, 56}});
    case ActivityKind::kGraphTrace:
      return pick({{17, 48}, {21, 56}});
    case ActivityKind::kDevice:
      return pick({{0, 152}, {17, 176}, {20, 184}});
    case ActivityKind::kContext:
      return pick({{0, 16}, {22, 32}});
    case ActivityKind::kMarker:
      return 56;
    case ActivityKind::kStream:
      return 24;
    case ActivityKind::kName:
      return 32;
  }
  return 40;  // a kind that only the future knows
}

/// The bytes of our own declaration.
constexpr size_t declared_bytes(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kConcurrentKernel:
      return sizeof(KernelActivity);
    case ActivityKind::kCopy:
      return sizeof(CopyActivity);
    case ActivityKind::kPeerCopy:
      return sizeof(PeerCopyActivity);
    case ActivityKind::kSet:
      return sizeof(SetActivity);
    case ActivityKind::kSynchronization:
      return sizeof(SyncActivity);
    case ActivityKind::kMemory2:
      return sizeof(MemoryActivity);
    case ActivityKind::kMemoryPool:
      return sizeof(PoolActivity);
    case ActivityKind::kOverhead:
      return sizeof(OverheadActivity);
    case ActivityKind::kGraphTrace:
      return sizeof(GraphActivity);
    case ActivityKind::kDevice:
      return sizeof(DeviceActivity);
    case ActivityKind::kContext:
      return sizeof(ContextActivity);
    case ActivityKind::kMarker:
      return sizeof(MarkerActivity);
    case ActivityKind::kStream:
      return sizeof(StreamActivity);
    case ActivityKind::kName:
      return sizeof(NameActivity);
  }
  return sizeof(Activity);
}

}  // namespace perseid::cupti
