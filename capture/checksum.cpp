// capture/checksum.cpp: CRC-32C in four chains, by instruction where the CPU has it.
#include "capture/checksum.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace perseid {
namespace {

static_assert(std::endian::native == std::endian::little, "captures are little endian");

constexpr size_t kStripeBytes = 32;
constexpr uint32_t kPolynomial = 0x82f63b78;  // CRC-32C, bits reversed

using Tables = std::array<std::array<uint32_t, 256>, 8>;

/// kTables[k][b] advances byte b over k further zero bytes, so that eight look-ups take a word.
constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[k - 1][byte];
      tables[k][byte] = (previous >> 8) ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

struct PortableCrc {
  static uint32_t word(uint32_t crc, uint64_t value) noexcept {
    value ^= crc;
    uint32_t next = 0;
    for (size_t byte = 0; byte < 8; ++byte) next ^= kTables[7 - byte][(value >> (8 * byte)) & 0xff];
    return next;
  }
  static uint32_t byte(uint32_t crc, uint8_t value) noexcept {
    return (crc >> 8) ^ kTables[0][(crc ^ value) & 0xff];
  }
};

inline uint64_t load_word(const unsigned char* at) noexcept {
  uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

uint32_t sum_portable(const unsigned char* at, size_t bytes) noexcept {
  uint32_t lanes[4] = {0, 1, 2, 3};
  for (; bytes >= kStripeBytes; at += kStripeBytes, bytes -= kStripeBytes) {
    for (size_t lane = 0; lane < 4; ++lane) {
      lanes[lane] = PortableCrc::word(lanes[lane], load_word(at + 8 * lane));
    }
  }
  for (; bytes >= 8; at += 8, bytes -= 8) lanes[0] = PortableCrc::word(lanes[0], load_word(at));
  for (; bytes > 0; ++at, --bytes) lanes[0] = PortableCrc::byte(lanes[0], *at);

  uint32_t crc = ~uint32_t{0};
  crc = PortableCrc::word(crc, lanes[0] | uint64_t{lanes[1]} << 32);
  crc = PortableCrc::word(crc, lanes[2] | uint64_t{lanes[3]} << 32);
  return ~crc;
}

#if defined(__x86_64__)
/// The chains are spelled out: the function is compiled for a CPU that its helpers are not, so
/// nothing of it can be shared with the portable version by inlining.
[[gnu::target("sse4.2")]] uint32_t sum_sse42(const unsigned char* at, size_t bytes) noexcept {
  uint64_t lane0 = 0, lane1 = 1, lane2 = 2, lane3 = 3;
  for (; bytes >= kStripeBytes; at += kStripeBytes, bytes -= kStripeBytes) {
    uint64_t words[4];
    std::memcpy(words, at, sizeof(words));
    lane0 = _mm_crc32_u64(lane0, words[0]);
    lane1 = _mm_crc32_u64(lane1, words[1]);
    lane2 = _mm_crc32_u64(lane2, words[2]);
    lane3 = _mm_crc32_u64(lane3, words[3]);
  }
  for (; bytes >= 8; at += 8, bytes -= 8) {
    uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    lane0 = _mm_crc32_u64(lane0, word);
  }
  auto first = static_cast<uint32_t>(lane0);
  for (; bytes > 0; ++at, --bytes) first = _mm_crc32_u8(first, *at);

  uint64_t crc = ~uint32_t{0};
  crc = _mm_crc32_u64(crc, first | lane1 << 32);
  crc = _mm_crc32_u64(crc, lane2 | lane3 << 32);
  return ~static_cast<uint32_t>(crc);
}
#endif

}  // namespace

uint32_t checksum_portable(const void* data, size_t bytes) noexcept {
  return sum_portable(static_cast<const unsigned char*>(data), bytes);
}

uint32_t checksum(const void* data, size_t bytes) noexcept {
#if defined(__x86_64__)
  __builtin_cpu_init();  // the library's constructor may run before the compiler's own
  if (__builtin_cpu_supports("sse4.2")) {
    return sum_sse42(static_cast<const unsigned char*>(data), bytes);
  }
#endif
  return checksum_portable(data, bytes);
}

}  // namespace perseid
