// timeline/model/id_hash.h: where ids go in tables whose size is a power of two.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perseid {

/// Ids are often consecutive: eight neighbours stay neighbours and share cache lines. Others are
/// addresses, whose lowest bits are equal: the next ones join in. The high half of the product
/// does so for ids whose upper bits name a thread.
inline size_t id_hash(uint64_t id) noexcept {
  const uint64_t product = (id >> 3) * 0x9e3779b97f4a7c15;
  const uint64_t neighbour = (id ^ id >> 4 ^ id >> 7) & 7;
  return static_cast<size_t>((product ^ product >> 32) << 3 | neighbour);
}

}  // namespace perseid
