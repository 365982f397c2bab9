// tests/unit/capture/checksum_test.cpp: CRC-32C, however it is computed.
#include "capture/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace perseid {
namespace {

std::vector<unsigned char> noise(size_t bytes) {
  std::vector<unsigned char> data(bytes);
  uint32_t state = 1;
  for (unsigned char& byte : data) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return data;
}

/// The definition, bit by bit, as capture/checksum.h words it.
uint32_t crc32c(uint32_t crc, const std::vector<unsigned char>& bytes) {
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82f63b78 : 0);
  }
  return crc;
}

uint32_t by_definition(const std::vector<unsigned char>& data) {
  std::vector<unsigned char> lanes[4];
  const size_t whole = data.size() / 32 * 32;
  for (size_t i = 0; i < data.size(); ++i) lanes[i < whole ? i % 32 / 8 : 0].push_back(data[i]);
  std::vector<unsigned char> values;
  for (uint32_t lane = 0; lane < 4; ++lane) {
    const uint32_t crc = crc32c(lane, lanes[lane]);
    for (int byte = 0; byte < 4; ++byte)
      values.push_back(static_cast<unsigned char>(crc >> 8 * byte));
  }
  return ~crc32c(~uint32_t{0}, values);
}

TEST(Checksum, IsWhatItsHeaderDefinesForEveryLength) {
  for (size_t bytes = 0; bytes < 200; ++bytes) {
    const auto data = noise(bytes);
    ASSERT_EQ(checksum(data.data(), bytes), by_definition(data)) << bytes;
    ASSERT_EQ(checksum_portable(data.data(), bytes), by_definition(data)) << bytes;
  }
}

TEST(Checksum, DoesNotDependOnAlignment) {
  const auto data = noise(300);
  for (size_t shift = 0; shift < 16; ++shift) {
    const std::vector<unsigned char> moved(data.begin() + static_cast<std::ptrdiff_t>(shift),
                                           data.end());
    ASSERT_EQ(checksum(data.data() + shift, 256), checksum(moved.data(), 256)) << shift;
  }
}

TEST(Checksum, ChangesWithEverySingleBit) {
  auto data = noise(100);
  const uint32_t right = checksum(data.data(), data.size());
  for (size_t bit = 0; bit < 8 * data.size(); ++bit) {
    data[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    ASSERT_NE(checksum(data.data(), data.size()), right) << bit;
    data[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
  }
}

TEST(Checksum, ZerosAreNotZero) {
  const std::string zeros(128, '\0');
  EXPECT_NE(checksum(zeros.data(), zeros.size()), 0u);
  EXPECT_NE(checksum(zeros.data(), 28), 0u);
}

}  // namespace
}  // namespace perseid
