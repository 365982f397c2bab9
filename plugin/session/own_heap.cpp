// plugin/session/own_heap.cpp: memory for the reading half when it runs inside the host.
//
// The timeline may be written while a signal has stopped a thread in the middle of malloc, so
// the library's operator new must not wait for the host's allocator. Blocks come in powers of
// two from slabs of anonymous memory; large ones are mapped alone. Only code linked into this
// library uses it: the symbols are local.
#include <sched.h>
#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kSlabBytes = 1024 * 1024;
constexpr unsigned kSmallest = 5;   // 32 bytes, header included
constexpr unsigned kMaxOrder = 17;  // 128 KiB

/// Before every block, so that delete knows where it belongs.
struct alignas(kAlignment) BlockHeader {
  size_t bytes;  // of the whole block; above 1 << kMaxOrder it is a mapping of its own
  BlockHeader* next;
};

std::atomic<bool> g_is_busy{false};
BlockHeader* g_free[kMaxOrder + 1]{};
std::byte* g_slab = nullptr;
size_t g_slab_left = 0;

class Lock {
 public:
  Lock() noexcept {
    while (g_is_busy.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { g_is_busy.store(false, std::memory_order_release); }
};

void* map(size_t bytes) noexcept {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

void* allocate(size_t wanted) noexcept {
  const size_t needed = wanted + sizeof(BlockHeader);
  if (needed < wanted) return nullptr;
  const auto order = std::max(kSmallest, static_cast<unsigned>(std::bit_width(needed - 1)));
  if (order > kMaxOrder) {
    auto* header = static_cast<BlockHeader*>(map(needed));
    if (!header) return nullptr;
    header->bytes = needed;
    return header + 1;
  }
  const Lock lock;
  BlockHeader* header = g_free[order];
  if (header) {
    g_free[order] = header->next;
  } else {
    const size_t bytes = size_t{1} << order;
    if (g_slab_left < bytes) {
      g_slab = static_cast<std::byte*>(map(kSlabBytes));
      g_slab_left = g_slab ? kSlabBytes : 0;
      if (!g_slab) return nullptr;
    }
    header = reinterpret_cast<BlockHeader*>(g_slab);
    header->bytes = bytes;
    g_slab += bytes;
    g_slab_left -= bytes;
  }
  return header + 1;
}

void release(void* block) noexcept {
  if (!block) return;
  auto* header = static_cast<BlockHeader*>(block) - 1;
  if (header->bytes > size_t{1} << kMaxOrder) {
    munmap(header, header->bytes);
    return;
  }
  const auto order = static_cast<unsigned>(std::bit_width(header->bytes - 1));
  const Lock lock;
  header->next = g_free[order];
  g_free[order] = header;
}

}  // namespace

void* operator new(size_t bytes) {
  if (void* block = allocate(bytes)) return block;
  throw std::bad_alloc();
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, size_t) noexcept { release(block); }
void operator delete[](void* block, size_t) noexcept { release(block); }
