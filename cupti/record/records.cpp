// cupti/record/records.cpp: CUPTI's activity records, as far as their version has the members.
#include "cupti/record/collector.h"

namespace perseid::cupti {

namespace {

template <class Record>
const Record& as(const Activity& activity) noexcept {
  return reinterpret_cast<const Record&>(activity);
}

uint32_t unsign(int32_t value) noexcept { return static_cast<uint32_t>(value); }

void emit_activity(const KernelActivity& k, uint32_t version) noexcept {
  const uint32_t graph = version >= kVersion11_1 ? k.graph : 0;
  emit(kind(kKernelRecord), intern(k.name), halves(k.correlation, k.device), k.start, k.end,
       halves(k.context, k.stream), halves(unsign(k.grid[0]), unsign(k.grid[1])),
       halves(unsign(k.grid[2]), unsign(k.block[0])),
       halves(unsign(k.block[1]), unsign(k.block[2])),
       halves(k.registers_per_thread, unsign(k.static_shared_bytes)),
       halves(unsign(k.dynamic_shared_bytes), graph));
}

template <class Copy>
uint32_t how(const Copy& copy) noexcept {
  return uint32_t{copy.copy_kind} | uint32_t{copy.source_kind} << 8 |
         uint32_t{copy.target_kind} << 16 | uint32_t{copy.flags} << 24;
}

void emit_activity(const CopyActivity& c, uint32_t version) noexcept {
  const uint32_t graph = version >= kVersion11_1 ? c.graph : 0;
  emit(kind(kCopyRecord), how(c), halves(c.correlation, c.device), c.start, c.end,
       halves(c.context, c.stream), c.bytes, halves(c.device, c.device), graph);
}

void emit_activity(const PeerCopyActivity& c, uint32_t version) noexcept {
  const uint32_t graph = version >= kVersion11_1 ? c.graph : 0;
  emit(kind(kCopyRecord), how(c), halves(c.correlation, c.device), c.start, c.end,
       halves(c.context, c.stream), c.bytes, halves(c.source_device, c.target_device), graph);
}

void emit_activity(const SetActivity& s, uint32_t version) noexcept {
  const uint32_t graph = version >= kVersion11_1 ? s.graph : 0;
  emit(kind(kSetRecord), s.value, halves(s.correlation, s.device), s.start, s.end,
       halves(s.context, s.stream), s.bytes, halves(s.memory_kind, graph));
}

void emit_activity(const SyncActivity& s) noexcept {
  emit(kind(kSyncRecord), static_cast<uint32_t>(s.type), halves(s.correlation, s.event), s.start,
       s.end, halves(s.context, s.stream));
}

void emit_activity(const MemoryActivity& m, uint32_t version) noexcept {
  // The size of an imported pool is known where it was made only.
  const bool has_pool = m.is_async != 0 && m.pool_type == PoolType::kLocal;
  const bool has_use = has_pool && version >= kVersion11_5;
  emit(kind(kMemoryRecord), static_cast<uint32_t>(m.operation) | m.memory_kind << 8,
       halves(m.correlation, m.device), m.timestamp, m.address, m.bytes,
       halves(m.context, m.stream), has_pool ? m.pool_address : 0, has_pool ? m.pool_bytes : 0,
       has_use ? m.pool_used_bytes : kUnknownBytes);
}

void emit_activity(const PoolActivity& p, uint32_t version) noexcept {
  if (p.pool_type != PoolType::kLocal) return;
  emit(kind(kPoolRecord), static_cast<uint32_t>(p.operation), halves(p.correlation, p.device),
       p.timestamp, p.address, p.size, version >= kVersion11_5 ? p.used_bytes : kUnknownBytes);
}

void emit_activity(const OverheadActivity& o) noexcept {
  const bool is_thread = o.object_kind == ObjectKind::kThread;
  emit(kind(kOverheadRecord), static_cast<uint32_t>(o.overhead), o.start, o.end,
       static_cast<uint32_t>(o.object_kind), is_thread ? o.object.part[1] : 0u);
}

void emit_activity(const GraphActivity& g) noexcept {
  emit(kind(kGraphRecord), g.graph, halves(g.correlation, g.device), g.start, g.end,
       halves(g.context, g.stream));
}

void emit_activity(const DeviceActivity& d) noexcept {
  emit(kind(kDeviceRecord), d.id, intern(d.name), d.memory_bytes, d.multiprocessors,
       halves(d.capability_major, d.capability_minor));
}

void emit_activity(const NameActivity& n) noexcept {
  emit(kind(kNameRecord), intern(n.name), static_cast<uint32_t>(n.object_kind),
       halves(n.object.part[0], n.object.part[1]), n.object.part[2]);
}

void emit_activity(const MarkerActivity& m) noexcept {
  const bool is_thread = m.object_kind == ObjectKind::kThread;
  emit(kind(kMarkerRecord), intern(m.name), halves(m.flags, m.id), m.timestamp,
       halves(intern(m.domain), is_thread ? m.object.part[1] : 0));
}

}  // namespace

bool record_activity(const Activity& activity, uint32_t version) noexcept {
  switch (activity.kind) {
    case ActivityKind::kConcurrentKernel:
      emit_activity(as<KernelActivity>(activity), version);
      return true;
    case ActivityKind::kCopy:
      emit_activity(as<CopyActivity>(activity), version);
      return true;
    case ActivityKind::kPeerCopy:
      emit_activity(as<PeerCopyActivity>(activity), version);
      return true;
    case ActivityKind::kSet:
      emit_activity(as<SetActivity>(activity), version);
      return true;
    case ActivityKind::kSynchronization:
      emit_activity(as<SyncActivity>(activity));
      return true;
    case ActivityKind::kMemory2:
      emit_activity(as<MemoryActivity>(activity), version);
      return true;
    case ActivityKind::kMemoryPool:
      emit_activity(as<PoolActivity>(activity), version);
      return true;
    case ActivityKind::kOverhead:
      emit_activity(as<OverheadActivity>(activity));
      return true;
    case ActivityKind::kGraphTrace:
      emit_activity(as<GraphActivity>(activity));
      return true;
    case ActivityKind::kDevice:
      emit_activity(as<DeviceActivity>(activity));
      return true;
    case ActivityKind::kContext: {
      const auto& c = as<ContextActivity>(activity);
      emit(kind(kContextRecord), c.context, halves(c.device, c.null_stream));
      return true;
    }
    case ActivityKind::kStream:
      return true;  // not asked for: a stream is a row as soon as something runs on it
    case ActivityKind::kName:
      emit_activity(as<NameActivity>(activity));
      return true;
    case ActivityKind::kMarker:
      emit_activity(as<MarkerActivity>(activity));
      return true;
  }
  return false;
}

}  // namespace perseid::cupti
