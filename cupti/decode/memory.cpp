// cupti/decode/memory.cpp: sums allocations and releases by device and kind of memory.
#include "cupti/decode/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "cupti/events.h"

namespace perseid::cupti {
namespace {

/// More than programs make: damaged records may name any address, and each change adds all of them.
constexpr size_t kMaxPools = 4096;

Counter& counter_of(Device& device, std::string_view kind) {
  return device.counter(fmt::format("{} memory bytes", kind));
}

}  // namespace

void DeviceMemory::change(Device& device, int64_t at_ns, MemoryOperation operation,
                          Allocation allocation) {
  if (operation == MemoryOperation::kAllocation) {
    wait({at_ns, arrived_++, &device, allocation});
  } else if (operation == MemoryOperation::kRelease) {
    wait({at_ns, arrived_++, &device, Release{allocation.address}});
  }
}

void DeviceMemory::set_pool(Device& device, int64_t at_ns, Pool pool) {
  wait({at_ns, arrived_++, &device, pool});
}

void DeviceMemory::finish() {
  while (!waiting_.empty()) count_first();
}

void DeviceMemory::wait(Change change) {
  waiting_.push_back(std::move(change));
  std::push_heap(waiting_.begin(), waiting_.end(), Later());
  if (waiting_.size() > kMaxWaiting) count_first();
}

void DeviceMemory::count_first() {
  std::pop_heap(waiting_.begin(), waiting_.end(), Later());
  const Change first = waiting_.back();
  waiting_.pop_back();
  std::visit([&](const auto& what) { count(first, what); }, first.what);
}

void DeviceMemory::count(const Change& change, const Allocation& allocation) {
  // The address is in use already: its release is missing.
  count(change, Release{allocation.address});
  live_[allocation.address] = {change.device, allocation};
  counter_of(*change.device, allocation.kind)
      .add(change.at_ns, static_cast<double>(allocation.bytes));
}

void DeviceMemory::count(const Change& change, const Release& release) {
  const auto live = live_.find(release.address);
  if (live == live_.end()) return;  // allocated before the trace began: never counted
  const Allocation& was = live->second.allocation;
  counter_of(*live->second.device, was.kind).add(change.at_ns, -static_cast<double>(was.bytes));
  live_.erase(live);
}

void DeviceMemory::count(const Change& change, const Pool& pool) {
  Pools& pools = pools_[change.device];
  if (pools.size() >= kMaxPools && !pools.contains(pool.address)) return;
  pools[pool.address] = pool;
  uint64_t bytes = 0;
  uint64_t used_bytes = 0;
  bool is_use_known = true;
  for (const auto& [address, one] : pools) {
    bytes += one.bytes;
    is_use_known = is_use_known && one.used_bytes != kUnknownBytes;
    if (is_use_known) used_bytes += one.used_bytes;
  }
  if (pool.bytes == 0) pools.erase(pool.address);
  change.device->counter("memory pool bytes").set(change.at_ns, static_cast<double>(bytes));
  if (!is_use_known) return;
  change.device->counter("memory pool used bytes")
      .set(change.at_ns, static_cast<double>(used_bytes));
}

}  // namespace perseid::cupti
