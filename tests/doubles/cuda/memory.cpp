// tests/doubles/cuda/memory.cpp: memory of the pretended devices, and pools of it.
#include <algorithm>
#include <cstdlib>

#include "tests/doubles/cuda/driver.h"

using namespace fake_cuda;
using namespace perseid::cupti;

struct FakePool {
  uint32_t device;
  uint64_t held_bytes = 0;
  uint64_t used_bytes = 0;
};

namespace {

constexpr uint64_t kPoolStep = 4096;  // pools grow and shrink by whole steps

/// In front of what the program gets.
struct alignas(16) Block {
  size_t bytes;
  FakePool* pool;
};

Block& block_of(void* memory) { return static_cast<Block*>(memory)[-1]; }

void* make_block(size_t bytes, FakePool* pool) {
  auto* block = static_cast<Block*>(std::malloc(sizeof(Block) + bytes));
  *block = {bytes, pool};
  return block + 1;
}

uint64_t whole_steps(uint64_t bytes) { return (bytes + kPoolStep - 1) / kPoolStep * kPoolStep; }

void record_memory(MemoryOperation operation, MemoryKind kind, void* memory, FakeStream* stream) {
  const Block& block = block_of(memory);
  MemoryActivity record{};
  record.kind = ActivityKind::kMemory2;
  record.operation = operation;
  record.memory_kind = static_cast<uint32_t>(kind);
  record.address = reinterpret_cast<uint64_t>(memory);
  record.bytes = block.bytes;
  record.timestamp = now();
  record.device = block.pool ? block.pool->device : t_device;
  record.context = kContextBase + record.device;
  record.stream = stream ? stream->id : UINT32_MAX;
  if (block.pool) {
    record.is_async = 1;
    record.pool_type = PoolType::kLocal;
    record.pool_address = reinterpret_cast<uint64_t>(block.pool);
    record.pool_bytes = block.pool->held_bytes;
    record.pool_used_bytes = block.pool->used_bytes;
  }
  deliver(record, record.timestamp);
}

void record_pool(PoolOperation operation, const FakePool& pool, uint64_t min_bytes_to_keep) {
  PoolActivity record{};
  record.kind = ActivityKind::kMemoryPool;
  record.operation = operation;
  record.pool_type = PoolType::kLocal;
  record.device = pool.device;
  record.min_bytes_to_keep = min_bytes_to_keep;
  record.address = reinterpret_cast<uint64_t>(&pool);
  record.size = pool.held_bytes;
  record.used_bytes = pool.used_bytes;
  record.timestamp = now();
  deliver(record, record.timestamp);
}

cudaError_t allocate(MemoryKind kind, void** memory, size_t bytes) {
  initialize();
  *memory = make_block(bytes, nullptr);
  record_memory(MemoryOperation::kAllocation, kind, *memory, nullptr);
  return cudaSuccess;
}

cudaError_t release(MemoryKind kind, void* memory) {
  record_memory(MemoryOperation::kRelease, kind, memory, nullptr);
  std::free(&block_of(memory));
  return cudaSuccess;
}

}  // namespace

FAKE_API cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return allocate(MemoryKind::kDevice, memory, bytes);
}

FAKE_API cudaError_t cudaFree(void* memory) { return release(MemoryKind::kDevice, memory); }

FAKE_API cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return allocate(MemoryKind::kPinned, memory, bytes);
}

FAKE_API cudaError_t cudaFreeHost(void* memory) { return release(MemoryKind::kPinned, memory); }

FAKE_API cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool) {
  initialize();
  *pool = new FakePool{t_device};
  record_pool(PoolOperation::kCreated, **pool, 0);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool,
                                             cudaStream_t stream) {
  *memory = make_block(bytes, pool);
  pool->used_bytes += bytes;
  pool->held_bytes = std::max(pool->held_bytes, whole_steps(pool->used_bytes));
  record_memory(MemoryOperation::kAllocation, MemoryKind::kDevice, *memory, stream);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  Block& block = block_of(memory);
  block.pool->used_bytes -= block.bytes;
  record_memory(MemoryOperation::kRelease, MemoryKind::kDevice, memory, stream);
  std::free(&block);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t min_bytes_to_keep) {
  const uint64_t needed = whole_steps(std::max<uint64_t>(pool->used_bytes, min_bytes_to_keep));
  pool->held_bytes = std::min(pool->held_bytes, needed);
  record_pool(PoolOperation::kTrimmed, *pool, min_bytes_to_keep);
  return cudaSuccess;
}

FAKE_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  record_pool(PoolOperation::kDestroyed, *pool, 0);
  delete pool;
  return cudaSuccess;
}
