// tests/unit/capture/format_test.cpp: the places that docs/dev/capture-format.md names.
#include "capture/format.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace perseid {
namespace {

std::string spelled(uint64_t magic) {
  std::string text(sizeof(magic), ' ');
  std::memcpy(text.data(), &magic, sizeof(magic));
  return text;
}

TEST(Format, MagicNumbersSpellTheirNames) {
  EXPECT_EQ(spelled(kChunkMagic), "PSDChunk");
  EXPECT_EQ(spelled(kRingMagic), "PRSDRING");
  EXPECT_EQ(spelled(kStateMagic), "PRSDSTAT");
  EXPECT_EQ(spelled(kStringsMagic), "PRSDSTRS");
}

TEST(Format, FieldsHaveTheOffsetsOfTheDocument) {
  EXPECT_EQ(offsetof(ChunkHeader, info), 16u);
  EXPECT_EQ(offsetof(ChunkHeader, base), 32u);
  EXPECT_EQ(offsetof(ChunkHeader, position), 40u);
  EXPECT_EQ(offsetof(ChunkHeader, first_ticks), 48u);
  EXPECT_EQ(offsetof(ChunkHeader, anchor), 56u);
  EXPECT_EQ(offsetof(ChunkHeader, bytes), 88u);
  EXPECT_EQ(offsetof(ChunkHeader, payload_checksum), 92u);
  EXPECT_EQ(offsetof(ChunkHeader, header_checksum), 100u);
  EXPECT_EQ(offsetof(RingHeader, head), 64u);
  EXPECT_EQ(offsetof(RingHeader, tail), 128u);
  EXPECT_EQ(offsetof(RingHeader, lost), 192u);
  EXPECT_EQ(offsetof(RingHeader, block_start), 256u);
  EXPECT_EQ(offsetof(ClockAnchor, checksum), 28u);
  EXPECT_EQ(offsetof(StringsHeader, used), 24u);
  EXPECT_EQ(kStateAnchorsAt, 4096u);
  EXPECT_EQ(kMaxChunkBytes, 262144u);
}

}  // namespace
}  // namespace perseid
