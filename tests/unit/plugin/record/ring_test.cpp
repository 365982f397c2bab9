// tests/unit/plugin/record/ring_test.cpp: one producer, one consumer, positions that only grow.
#include "plugin/record/ring.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/unit/plugin/held_directory.h"

namespace perseid {
namespace {

constexpr uint64_t kCapacity = 64 * 1024;
constexpr uint16_t kKind = 0x0101;

class TestRing {
 public:
  explicit TestRing(OnFull on_full = OnFull::kFlush) {
    EXPECT_EQ(ring_.create(directory_.own(), "1.ring", kCapacity, 7, on_full), 0);
    ring_.assign({1, 42, 0, -1});
  }
  ~TestRing() { ring_.unmap(); }

  /// A record with `number` as its first word; false if the ring is full.
  bool write(uint64_t number, size_t bytes = 24) {
    std::byte* at = ring_.reserve(bytes);
    if (!at && ring_.extend(bytes)) at = ring_.reserve(bytes);
    if (!at) return false;
    const RecordHeader header{number, 0, kKind, static_cast<uint8_t>((bytes - 16) / 8), 0};
    std::memcpy(at, &header, sizeof header);
    for (size_t word = 16; word < bytes; word += 8) std::memcpy(at + word, &number, 8);
    ring_.commit(bytes);
    return true;
  }

  Ring& operator*() { return ring_; }
  Ring* operator->() { return &ring_; }
  std::string path() const { return directory_.file("1.ring"); }

 private:
  HeldDirectory directory_;
  Ring ring_;
};

/// The first words of the records in a span; fails if a record is torn.
std::vector<uint64_t> numbers_in(const Ring& ring, Ring::Span span) {
  std::vector<uint64_t> numbers;
  for (uint64_t at = span.from; at < span.to;) {
    RecordHeader header;
    std::memcpy(&header, ring.at(at), sizeof header);
    EXPECT_EQ(header.kind, kKind);
    for (size_t word = 0; word < header.words; ++word) {
      uint64_t value;
      std::memcpy(&value, ring.at(at) + sizeof header + 8 * word, 8);
      EXPECT_EQ(value, header.ticks);
    }
    numbers.push_back(header.ticks);
    at += sizeof header + 8u * header.words;
    EXPECT_LE(at, span.to);
  }
  return numbers;
}

TEST(Ring, RefusesWhenFullRatherThanOverwrites) {
  TestRing ring;
  uint64_t count = 0;
  while (ring.write(count, 32)) ++count;
  EXPECT_EQ(count, kCapacity / 32);
  EXPECT_EQ(ring->head(), kCapacity);

  ring->release(32);
  EXPECT_TRUE(ring.write(count, 32));
  EXPECT_FALSE(ring.write(count + 1, 32));
}

TEST(Ring, KeepsRecordsWholeAcrossItsEnd) {
  TestRing ring;
  uint64_t next_written = 0;
  uint64_t next_read = 0;
  for (int lap = 0; lap < 40; ++lap) {
    while (ring.write(next_written, 40 + 8 * (next_written % 3))) ++next_written;
    const Ring::Span span = ring->readable(kCapacity);
    for (const uint64_t number : numbers_in(*ring, span)) EXPECT_EQ(number, next_read++);
    ring->release(span.to);
  }
  EXPECT_EQ(next_read, next_written);
  EXPECT_GT(ring->head(), 30 * kCapacity);
}

TEST(Ring, HandsOutWholeRecordsUpToALimit) {
  TestRing ring;
  uint64_t count = 0;
  while (ring.write(count, 16 + 8 * (1 + count % 200))) ++count;
  uint64_t next = 0;
  while (ring->tail() != ring->head()) {
    const Ring::Span span = ring->readable(3000);
    ASSERT_GT(span.to, span.from);
    ASSERT_LE(span.to - span.from, 3000u);
    for (const uint64_t number : numbers_in(*ring, span)) EXPECT_EQ(number, next++);
    ring->release(span.to);
  }
  EXPECT_EQ(next, count);
}

TEST(Ring, HandsOutOneRecordEvenIfTheLimitIsSmaller) {
  TestRing ring;
  for (uint64_t i = 0; i < 10; ++i) ring.write(i, 2056);
  const Ring::Span span = ring->readable(100);
  EXPECT_EQ(span.to - span.from, 2056u);
}

TEST(Ring, OverwritingKeepsTheLastRecordsAndStartsAtARecord) {
  TestRing ring(OnFull::kOverwrite);
  constexpr uint64_t kCount = 50'000;
  for (uint64_t i = 0; i < kCount; ++i) ASSERT_TRUE(ring.write(i, 24 + 8 * (i % 4)));
  const std::vector<uint64_t> kept = numbers_in(*ring, {ring->tail(), ring->head()});
  EXPECT_GE(ring->head() - ring->tail(), kCapacity - 2 * kCapacity / kRingBlocks);
  EXPECT_LE(ring->head() - ring->tail(), kCapacity);
  EXPECT_EQ(kept.back(), kCount - 1);
  for (size_t i = 1; i < kept.size(); ++i) ASSERT_EQ(kept[i], kept[i - 1] + 1);
}

TEST(Ring, AGapIsRecordedBeforeTheNextRecord) {
  TestRing ring;
  ring->enter_range();
  ring->enter_range();
  ring->open_gap(3);
  ring->leave_range();
  ring->enter_range();
  ring->open_gap(2);
  EXPECT_EQ(ring->unreported_loss(), 5u);
  EXPECT_EQ(ring->reserve(16), nullptr) << "the slow path must tell the gap first";
  ASSERT_TRUE(ring->extend(Ring::kGapBytes));
  ring->close_gap();
  EXPECT_FALSE(ring->has_gap());
  EXPECT_EQ(ring->unreported_loss(), 0u);
  Ring::LossRecord record;
  std::memcpy(static_cast<void*>(&record), ring->at(0), sizeof record);
  EXPECT_EQ(record.header.kind, core::kind(core::kLost));
  EXPECT_EQ(record.header.arg, 2u);
  EXPECT_EQ(record.lost, 5u);
  EXPECT_EQ(record.fewest_ranges, 1u);
  EXPECT_LE(record.first_ticks, record.header.ticks);
}

TEST(Ring, ANewOwnerBeginsWhereTheLastOneEnded) {
  TestRing ring;
  ring.write(1);
  ring->enter_range();
  ring->open_gap(4);
  const uint64_t end = ring->head();
  ring->release(end);
  ring->assign({2, 43, 0, 5});
  EXPECT_EQ(ring->base(), end);
  EXPECT_EQ(ring->depth(), 0u);
  EXPECT_FALSE(ring->has_gap());
  EXPECT_EQ(ring->unreported_loss(), 0u);
  EXPECT_EQ(ring->info().stream, 2u);
  EXPECT_EQ(ring->info().bound_cpu, 5);
}

TEST(Ring, TheProgramsNameForAThreadStays) {
  TestRing ring;
  ring->set_name(8, false);
  EXPECT_EQ(ring->info_now().name, 8u);
  ring->set_name(16, true);
  ring->set_name(24, false);
  EXPECT_EQ(ring->info_now().name, 16u);
}

TEST(Ring, TheFirstRoleOfAThreadStaysUntilTheNextThread) {
  TestRing ring;
  EXPECT_EQ(ring->role_now(), StreamRole::kPlain);
  ring->set_role(StreamRole::kWorker);
  ring->set_role(StreamRole::kSubmitter);
  EXPECT_EQ(ring->role_now(), StreamRole::kWorker);
  ring->release(ring->head());
  ring->assign({2, 43, 0, 5});
  EXPECT_EQ(ring->role_now(), StreamRole::kPlain);
}

TEST(Ring, LeavesNoFileWhenItCannotBeMade) {
  HeldDirectory directory;
  Ring ring;
  EXPECT_EQ(ring.create(directory.own(), "no/1.ring", kCapacity, 7, OnFull::kFlush), ENOENT);
  ASSERT_EQ(ring.create(directory.own(), "1.ring", kCapacity, 7, OnFull::kFlush), 0);
  Ring second;
  EXPECT_EQ(second.create(directory.own(), "1.ring", kCapacity, 7, OnFull::kFlush), EEXIST);
  ring.unmap();
}

TEST(Ring, OneThreadWritesWhileAnotherReads) {
  TestRing ring;
  constexpr uint64_t kCount = 200'000;
  std::thread writer([&] {
    for (uint64_t i = 0; i < kCount;) {
      if (ring.write(i, 24 + 8 * (i % 5)))
        ++i;
      else
        std::this_thread::yield();
    }
  });
  uint64_t next = 0;
  while (next < kCount) {
    const Ring::Span span = ring->readable(10'000);
    for (const uint64_t number : numbers_in(*ring, span)) ASSERT_EQ(number, next++);
    ring->release(span.to);
  }
  writer.join();
}

}  // namespace
}  // namespace perseid
