// capture/checksum.h: the checksum of chunks, headers, strings and manifests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perseid {

/// CRC-32C of four interleaved lanes. The bytes are cut into stripes of 32; lane i takes bytes
/// [8 i, 8 i + 8) of every stripe and starts from i, and the tail after the last whole stripe
/// goes to lane 0. The result is the CRC-32C of the four lanes' values, in order. Four chains
/// instead of one keep the CPU's CRC unit busy, so that checking costs less than copying.
uint32_t checksum(const void* data, size_t bytes) noexcept;

/// checksum() without the CPU's CRC instruction; for CPUs that lack it, and for the tests.
uint32_t checksum_portable(const void* data, size_t bytes) noexcept;

}  // namespace perseid
