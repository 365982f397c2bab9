// tests/unit/plugin/session/spool_test.cpp: chunks in the spool hold what the ring held, each byte
// once.
#include "plugin/session/spool.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "capture/checksum.h"
#include "plugin/record/host_guard.h"
#include "plugin/session/state_file.h"
#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

struct Chunk {
  ChunkHeader header;
  std::string payload;
};

class SpoolTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(state_.open(directory_.own(), 7, 1));
    ASSERT_TRUE(spool_.open(directory_.own(), 7, state_));
    ASSERT_EQ(ring_.create(directory_.own(), "0.ring", 64 * 1024, 7, OnFull::kDrop), 0);
    ring_.assign({3, 42, 0, -1});
  }
  void TearDown() override {
    ring_.unmap();
    spool_.close();
    state_.close();
  }

  bool write(uint64_t number) {
    if (!ring_.extend(24)) return false;
    ring_.put(0x0105, 0, number);
    return true;
  }
  void fill() {
    for (uint64_t i = 0; write(i);) ++i;
  }

  /// The chunks of the file, each with sound checksums.
  std::vector<Chunk> chunks() const {
    std::ifstream file(directory_.file("spool"), std::ios::binary);
    std::vector<Chunk> result;
    for (ChunkHeader header; file.read(reinterpret_cast<char*>(&header), sizeof header);) {
      EXPECT_EQ(header.magic, kChunkMagic);
      EXPECT_EQ(header.header_checksum, checksum(&header, offsetof(ChunkHeader, header_checksum)));
      std::string payload(header.bytes, '\0');
      file.read(payload.data(), static_cast<std::streamsize>(payload.size()));
      EXPECT_EQ(header.payload_checksum, checksum(payload.data(), payload.size()));
      result.push_back({header, payload});
    }
    return result;
  }

  HeldDirectory directory_;
  StateFile state_;
  Spool spool_;
  Ring ring_;
};

TEST_F(SpoolTest, AChunkIsTheRingsBytesAtTheirPosition) {
  for (uint64_t i = 0; i < 10; ++i) write(i);
  const std::string bytes(reinterpret_cast<const char*>(ring_.at(0)), 240);
  ASSERT_TRUE(spool_.empty(ring_, UINT64_MAX));
  write(10);
  ASSERT_TRUE(spool_.empty(ring_, UINT64_MAX));
  const auto all = chunks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].payload, bytes);
  EXPECT_EQ(all[0].header.info.stream, 3u);
  EXPECT_EQ(all[0].header.position, 0u);
  EXPECT_EQ(all[1].header.position, 240u);
  EXPECT_EQ(ring_.tail(), ring_.head());
  EXPECT_EQ(state_.counters().spooled_bytes.load(),
            std::filesystem::file_size(directory_.file("spool")));
}

TEST_F(SpoolTest, AnEmptyRingWritesNothing) {
  EXPECT_TRUE(spool_.empty(ring_, UINT64_MAX));
  EXPECT_TRUE(spool_.empty_retired(ring_));
  EXPECT_TRUE(spool_.empty_at_end(ring_));
  EXPECT_TRUE(chunks().empty());
}

TEST_F(SpoolTest, LossesOfAnEndedThreadAreRecorded) {
  fill();
  ring_.open_gap(5);
  ASSERT_TRUE(spool_.empty_retired(ring_));
  const auto all = chunks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].header.position, all[0].header.position + all[0].header.bytes);
  Ring::LossRecord record;
  ASSERT_EQ(all[1].payload.size(), sizeof record);
  std::memcpy(static_cast<void*>(&record), all[1].payload.data(), sizeof record);
  EXPECT_EQ(record.header.kind, core::kind(core::kLost));
  EXPECT_EQ(record.lost, 5u);
  EXPECT_EQ(ring_.unreported_loss(), 0u);
}

TEST_F(SpoolTest, LossesAtTheEndAreRecordedWhereTheOwnerWouldRecordThem) {
  fill();
  ring_.open_gap(5);
  const uint64_t head = ring_.head();
  ASSERT_TRUE(spool_.empty_at_end(ring_));
  const auto all = chunks();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].header.position, head);
  EXPECT_EQ(ring_.head(), head) << "the ring is still its owner's";
  ASSERT_TRUE(ring_.extend(Ring::kGapBytes));
  ring_.close_gap();
  EXPECT_EQ(ring_.head(), head + all[1].header.bytes) << "a late owner tells it at the same place";
}

TEST_F(SpoolTest, GoesOnWhenTheHostHasClosedItsDescriptor) {
  write(0);
  ASSERT_TRUE(spool_.empty(ring_, UINT64_MAX));
  const int first = open("/dev/null", O_RDONLY);
  for (int fd = first; fd < 200; ++fd) close(fd);
  // The host now opens a file of its own under the same number.
  std::vector<int> own;
  for (int i = 0; i < 150; ++i)
    own.push_back(open(directory_.file("own").c_str(), O_RDWR | O_CREAT, 0600));
  write(1);
  ASSERT_TRUE(spool_.empty(ring_, UINT64_MAX));
  EXPECT_EQ(std::filesystem::file_size(directory_.file("own")), 0u);
  for (const int fd : own) close(fd);
  EXPECT_EQ(chunks().size(), 2u);
}

TEST_F(SpoolTest, AFullDiskLeavesTheRecordsInTheRing) {
  rlimit kept;
  getrlimit(RLIMIT_FSIZE, &kept);
  const rlimit small{100, kept.rlim_max};
  fill();
  {
    const WriteGuard guard;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_FALSE(spool_.empty(ring_, UINT64_MAX));
    setrlimit(RLIMIT_FSIZE, &kept);
  }
  EXPECT_EQ(ring_.tail(), 0u);
  EXPECT_EQ(state_.counters().spool_errors.load(), 1u);
  EXPECT_TRUE(spool_.is_failing()) << "nobody waits for room that will not come";
  for (int i = 0; i < 1000; ++i)
    EXPECT_FALSE(spool_.empty(ring_, UINT64_MAX)) << "the next attempt waits a while";
  EXPECT_LE(state_.counters().spool_errors.load(), 2u);
  spool_.retry_now();
  EXPECT_TRUE(spool_.empty(ring_, UINT64_MAX));
  EXPECT_EQ(ring_.tail(), ring_.head());
  EXPECT_FALSE(spool_.is_failing());
}

TEST_F(SpoolTest, OnceClosedItWritesNothingMore) {
  write(0);
  spool_.close_file();
  EXPECT_FALSE(spool_.empty(ring_, UINT64_MAX));
  EXPECT_TRUE(spool_.is_failing());
  EXPECT_TRUE(chunks().empty());
  EXPECT_EQ(state_.counters().spool_errors.load(), 0u);
}

}  // namespace
}  // namespace perseid
