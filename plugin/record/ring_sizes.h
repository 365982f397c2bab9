// plugin/record/ring_sizes.h: how large the next ring is, so that any number of threads shares
// `memory=`.
//
//   memory  |   1/4   |  1/8  | 1/16 | ...  |      the rest, at least one half       |
//   rings   |  ring=  | half  | quarter ... |        kMinRingBytes each              |
//
// Nobody knows how many threads will come. The first ones get the whole size, and it halves each
// time half of what is left for larger rings is used: with the defaults (memory=512M, ring=1M)
// 128 threads have 1M, and 4,096 more than those still get a ring of 64K.
#pragma once

#include <cstdint>

#include "capture/format.h"

namespace perseid {

/// For a ring that is made when rings of `used_bytes` exist. The caller checks that the result
/// still fits into `memory_bytes`.
constexpr uint64_t next_ring_bytes(uint64_t ring_bytes, uint64_t memory_bytes,
                                   uint64_t used_bytes) noexcept {
  const uint64_t half = memory_bytes / 2;
  const uint64_t left_for_large = used_bytes < half ? half - used_bytes : 0;
  uint64_t size = ring_bytes;
  for (uint64_t share = half / 2;
       size > kMinRingBytes && (left_for_large <= share || used_bytes + 2 * size > memory_bytes);
       share /= 2)
    size /= 2;
  return size;
}

}  // namespace perseid
