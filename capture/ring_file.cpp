// capture/ring_file.cpp: checks a ring's header and copies positions out of it.
#include "capture/ring_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "capture/checksum.h"

namespace perseid {
namespace {

template <class T>
void take(const std::byte* page, size_t offset, T& value) {
  std::memcpy(&value, page + offset, sizeof(value));
}

constexpr uint64_t kMaxPosition = uint64_t{1} << 62;
constexpr int kMaxTries = 4;

}  // namespace

uint64_t RingSnapshot::next_boundary(uint64_t position) const noexcept {
  uint64_t next = head;
  for (const uint64_t start : block_start) {
    // A cursor between two words would never reach the end.
    if (start % 8 != 0) continue;
    if (start > position && start >= first && start < next) next = start;
  }
  return next;
}

RingSnapshot read_ring_header(const std::string& path, const File& file, uint64_t session) {
  RingSnapshot ring;
  ring.path = path;
  if (file.is_open() && file.size() == 0) return ring;  // killed while it was being made
  alignas(8) std::array<std::byte, sizeof(RingHeader)> page{};
  uint64_t tail = 0;
  // An owner who overwrites may have moved on a whole ring between the copies of head and tail: the
  // old head with the new tail would make bytes that are gone look as if they were there.
  for (int i = 0; i < kMaxTries && (i == 0 || tail > ring.head); ++i) {
    if (!file.is_open() || file.read_at(0, page.data(), page.size()) != page.size()) {
      ring.problem = file.is_open() ? "its header is cut short" : "it cannot be opened";
      return ring;
    }
    take(page.data(), offsetof(RingHeader, head), ring.head);
    take(page.data(), offsetof(RingHeader, tail), tail);
  }
  uint64_t magic = 0;
  uint32_t version = 0;
  uint32_t sum = 0;
  take(page.data(), offsetof(RingHeader, magic), magic);
  take(page.data(), offsetof(RingHeader, version), version);
  take(page.data(), offsetof(RingHeader, on_full), ring.on_full);
  take(page.data(), offsetof(RingHeader, session), ring.session);
  take(page.data(), offsetof(RingHeader, capacity), ring.capacity);
  take(page.data(), offsetof(RingHeader, info), ring.info);
  take(page.data(), offsetof(RingHeader, role), ring.role);
  take(page.data(), offsetof(RingHeader, base), ring.base);
  take(page.data(), offsetof(RingHeader, checksum), sum);
  take(page.data(), offsetof(RingHeader, lost), ring.lost);
  take(page.data(), offsetof(RingHeader, block_start), ring.block_start);

  const auto refuse = [&](std::string why) {
    ring.info.stream = 0;
    ring.problem = std::move(why);
    return ring;
  };
  if (magic == 0) {  // killed while it was being made, or between two owners
    ring.info.stream = 0;
    return ring;
  }
  if (magic != kRingMagic) return refuse("it does not start with PRSDRING");
  if (version != kFormatVersion) return refuse(fmt::format("its version is {}", version));
  // The name may change under a running thread, so the checksum takes it as 0.
  std::memset(page.data() + offsetof(RingHeader, info) + offsetof(StreamInfo, name), 0,
              sizeof(ring.info.name));
  if (sum != checksum(page.data(), offsetof(RingHeader, checksum))) {
    return refuse("its header does not match its checksum");
  }
  if (session != 0 && ring.session != session) return refuse("it belongs to another session");
  if (ring.info.stream == 0) return ring;
  if (!std::has_single_bit(ring.capacity) || ring.capacity < kMinRingBytes ||
      ring.capacity > kMaxRingBytes || file.size() < kRingHeaderBytes + ring.capacity) {
    return refuse(fmt::format("its capacity of {} bytes does not fit its size", ring.capacity));
  }
  if (ring.head > kMaxPosition || ring.head < ring.base || ring.head % 8 != 0 ||
      ring.base % 8 != 0) {
    return refuse("its positions are invalid");
  }

  if (tail >= ring.base && tail <= ring.head && ring.head - tail <= ring.capacity &&
      tail % 8 == 0) {
    ring.first = tail;
  } else if (ring.on_full == OnFull::kOverwrite) {
    // Nobody moved the tail along: the oldest whole block is where records begin.
    ring.first = ring.head > ring.capacity ? ring.head - ring.capacity : 0;
    ring.first = std::max(ring.first, ring.base);
    if (ring.first != ring.base) ring.first = ring.next_boundary(ring.first);
  } else {
    return refuse("its positions are invalid");
  }
  return ring;
}

bool read_ring(const File& file, const RingSnapshot& ring, uint64_t position, void* into,
               size_t bytes, bool is_live) {
  const uint64_t at = position & (ring.capacity - 1);
  const auto before_wrap = static_cast<size_t>(std::min<uint64_t>(bytes, ring.capacity - at));
  if (file.read_at(kRingHeaderBytes + at, into, before_wrap) != before_wrap) return false;
  const size_t rest = bytes - before_wrap;
  if (file.read_at(kRingHeaderBytes, static_cast<char*>(into) + before_wrap, rest) != rest) {
    return false;
  }
  if (!is_live) return true;
  // The owner writes where the tail has passed: bytes after the tail are unchanged.
  const RingSnapshot now = read_ring_header(ring.path, file, ring.session);
  return now.problem.empty() && now.info.stream == ring.info.stream && now.base == ring.base &&
         now.first <= position;
}

}  // namespace perseid
