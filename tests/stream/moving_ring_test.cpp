// tests/stream/moving_ring_test.cpp: a program that runs on while its capture is read. What it
// takes out of a ring meanwhile is found in the spool, or counted as overwritten.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

constexpr uint64_t kRecordBytes = 16 + 8 + 1000;
constexpr uint64_t kCapacity = 1 << 20;  // several times what a cursor reads at once
constexpr int kRecords = 1000;

/// Does something when the first slice is shown: by then the ring has been read in part.
class MeddlingSink final : public TraceSink {
 public:
  MeddlingSink(TraceSink& inner, std::function<void()> meddle)
      : inner_(&inner), meddle_(std::move(meddle)) {}
  void process(const Process& process) override { inner_->process(process); }
  void track(const Track& track) override { inner_->track(track); }
  void slice(const Slice& slice) override {
    if (meddle_) std::exchange(meddle_, nullptr)();
    inner_->slice(slice);
  }
  void counter(TrackId track, int64_t at_ns, double value) override {
    inner_->counter(track, at_ns, value);
  }
  void finish(const RunFacts& facts) override { inner_->finish(facts); }

 private:
  TraceSink* inner_;
  std::function<void()> meddle_;
};

/// A capture of this very process, so that it counts as alive.
class MovingRing : public testing::Test {
 protected:
  void record(OnFull on_full) {
    capture_.end = SessionEnd::kRunning;
    capture_.pid = static_cast<uint32_t>(::getpid());
    capture_.manifest.erase("host");
    if (on_full == OnFull::kOverwrite) capture_.manifest["settings"] = "on_full=overwrite";
    StreamBuilder& stream = capture_.stream(1, 4242, "main");
    stream.on_full = on_full;
    stream.ring_capacity = kCapacity;
    stream.ring_from_here();
    for (int i = 0; i < kRecords; ++i) {
      stream.instant(10 * i, fmt::format("e{}", i),
                     capture_.argument("text", std::string(1000, 'x')));
    }
    capture_.write();
    opened_ = *Capture::open(capture_.path(), known_kinds());
    ASSERT_TRUE(opened_->is_live());
  }

  /// The owner overwrites `records` of those that were in the ring when the capture was opened.
  void overwrite(int records) {
    std::fstream ring(capture_.file("1.ring"), std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](uint64_t offset, const void* bytes, size_t size) {
      ring.seekp(static_cast<std::streamoff>(offset));
      ring.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    };
    const uint64_t tail = static_cast<uint64_t>(records) * kRecordBytes;
    const uint64_t head = tail + kCapacity;
    put(offsetof(RingHeader, head), &head, sizeof(head));
    put(offsetof(RingHeader, tail), &tail, sizeof(tail));
    const std::string other(std::min(tail, kCapacity), '\xff');
    put(kRingHeaderBytes, other.data(), other.size());
  }

  WalkReport read(std::function<void()> at_first_slice = nullptr) {
    MeddlingSink sink(sink_, std::move(at_first_slice));
    return walk(*opened_, sink, {});
  }

  CaptureBuilder capture_;
  std::unique_ptr<Capture> opened_;
  RecordingSink sink_;
};

TEST_F(MovingRing, WhatIsOverwrittenBetweenTwoReadsIsAHoleThatCounts) {
  record(OnFull::kOverwrite);
  const WalkReport report = read([this] { overwrite(900); });
  EXPECT_EQ(opened_->damages().count(), 0u);
  EXPECT_GT(report.records, 100u);
  EXPECT_EQ(report.records * kRecordBytes + report.overwritten_bytes, kRecords * kRecordBytes);
  EXPECT_EQ(report.covered_from_ns, 9000);
  EXPECT_EQ(report.end_ns, 9990);
}

TEST_F(MovingRing, ARingOverwrittenAsAWholeEndsItsStreamInAHoleThatCounts) {
  record(OnFull::kOverwrite);
  const WalkReport report = read([this] { overwrite(kRecords); });
  EXPECT_EQ(opened_->damages().count(), 0u);
  EXPECT_LT(report.records, uint64_t{kRecords});
  EXPECT_EQ(report.records * kRecordBytes + report.overwritten_bytes, kRecords * kRecordBytes);
  EXPECT_EQ(sink_.lines.back(),
            fmt::format("main: @{} records overwritten while read {{bytes={}, position={}}}",
                        report.end_ns, report.overwritten_bytes, report.records * kRecordBytes));
  const Losses losses = losses_of(*opened_, report);
  EXPECT_EQ(losses.kept_ns, 0) << "of the last moments of this thread nothing is there";
  EXPECT_NE(describe(losses).find("of older events overwritten"), std::string::npos)
      << describe(losses);
  EXPECT_NE(sink_.fact("kept"), "");
}

TEST_F(MovingRing, ARingOverwrittenBeforeItIsReadAtAllCounts) {
  record(OnFull::kOverwrite);
  overwrite(3 * kRecords);
  const WalkReport report = read();
  EXPECT_EQ(opened_->damages().count(), 0u);
  EXPECT_EQ(report.records, 0u);
  EXPECT_EQ(report.overwritten_bytes, kRecords * kRecordBytes);
}

TEST_F(MovingRing, ARingThatIsGivenUpMeanwhileCounts) {
  record(OnFull::kOverwrite);
  std::filesystem::remove(capture_.file("1.ring"));
  const WalkReport report = read();
  EXPECT_EQ(report.overwritten_bytes, kRecords * kRecordBytes);
}

TEST_F(MovingRing, WhatWasFirstDrainedMeanwhileIsFoundInTheSpool) {
  record(OnFull::kFlush);
  const uint64_t empty = kRecords * kRecordBytes;
  std::fstream ring(capture_.file("1.ring"), std::ios::in | std::ios::out | std::ios::binary);
  ring.seekp(offsetof(RingHeader, tail));
  ring.write(reinterpret_cast<const char*>(&empty), sizeof(empty)).flush();
  CaptureBuilder drained;
  StreamBuilder& stream = drained.stream(1, 4242, "main");
  for (int i = 0; i < kRecords; ++i) {
    if (i % 100 == 0) stream.cut();
    stream.instant(10 * i, fmt::format("e{}", i), drained.argument("text", std::string(1000, 'x')));
  }
  drained.write();
  write_file(capture_.file(kSpoolFile), read_file(drained.file(kSpoolFile)));
  const WalkReport report = read();
  EXPECT_EQ(report.records, uint64_t{kRecords});
  EXPECT_EQ(opened_->damages().count(), 0u);
}

TEST_F(MovingRing, WhatIsNeitherInTheRingNorInTheSpoolIsDamage) {
  record(OnFull::kFlush);
  std::filesystem::remove(capture_.file("1.ring"));
  EXPECT_EQ(read().unreadable_bytes, kRecords * kRecordBytes);
  ASSERT_EQ(opened_->damages().count(), 1u);
  EXPECT_EQ(opened_->damages().items().front().text,
            "stream 1: 1024000 bytes from position 0 on are missing");
}

}  // namespace
}  // namespace perseid::test
