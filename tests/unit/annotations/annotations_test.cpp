// tests/unit/annotations/annotations_test.cpp: what each call of perseid.h writes, byte for byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "annotations/events.h"
#include "capture/reader.h"
#include "include/perseid.h"
#include "plugin/record/emit.h"
#include "plugin/session/connect.h"
#include "plugin/session/own_descriptors.h"
#include "plugin/session/session.h"
#include "tests/unit/plugin/temporary_directory.h"

namespace perseid {
namespace {

using namespace annotations;

struct Record {
  RecordHeader header;
  std::vector<uint64_t> words;
};

/// A session of this very process, without the entry points of the library.
class AnnotationsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { pthread_key_create(&g_origin.thread_key, nullptr); }

  void SetUp() override {
    Settings& settings = g_origin.settings;
    settings = Settings{};
    settings.is_on = true;
    settings.export_at_end = false;
    settings.quiet = true;
    settings.ring_bytes = 64 * 1024;
    directory_.path().copy(settings.dir, sizeof settings.dir - 1);
    sched_getaffinity(0, sizeof g_origin.cpus, &g_origin.cpus);
    choose_clock(ClockChoice::kAuto);
    t_ring = nullptr;
    arm();
    perseid_api_slot = annotation_api();
  }

  /// Ends the session and reads this thread's records back.
  std::vector<Record> finish() {
    end_session(0);
    perseid_api_slot = nullptr;
    t_ring = nullptr;
    KnownKinds known{};
    known[0] = std::size(core::kEvents);
    known[1] = std::size(kEvents);
    auto opened = Capture::open(session().capture, known);
    EXPECT_TRUE(opened) << session().capture;
    if (!opened) return {};
    capture_ = std::move(*opened);
    std::vector<Record> records;
    for (const StreamSource& source : capture_->streams()) {
      StreamCursor cursor(*capture_, source);
      while (cursor.next() == StreamCursor::Step::kRecord)
        records.push_back({cursor.record(), {cursor.words().begin(), cursor.words().end()}});
    }
    EXPECT_EQ(capture_->damages().count(), 0u);
    return records;
  }

  std::string text(uint32_t id) { return std::string(capture_->strings().text(id)); }
  void TearDown() override {
    if (session().state.load() != SessionState::kDone) end_session(0);
    t_ring = nullptr;
    // The next session takes this one's place in memory, which its last thread still looks at.
    for (int tries = 0; g_attendant.load() != 0 && tries < 2'000; ++tries) usleep(5'000);
    ASSERT_EQ(g_attendant.load(), 0);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<Capture> capture_;
};

uint32_t key_of(uint64_t word) { return static_cast<uint32_t>(word); }
ArgType type_of(uint64_t word) { return static_cast<ArgType>(word >> 32 & 255); }
uint64_t text_bytes_of(uint64_t word) { return word >> 40; }

TEST_F(AnnotationsTest, RangesCarryTheirNameArgumentsAndDepth) {
  const perseid_arg args[] = {perseid_arg_int("int", -5), perseid_arg_double("double", 2.5),
                              perseid_arg_bool("bool", 7), perseid_arg_text("text", "nine char"),
                              perseid_arg_pointer("pointer", this)};
  perseid_begin_with("outer", args, 5);
  perseid_begin("inner");
  perseid_end();
  perseid_end_with(args, 1);
  const auto records = finish();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].header.kind, kind(kBegin));
  EXPECT_EQ(text(records[0].header.arg), "outer");
  const std::vector<uint64_t>& words = records[0].words;
  ASSERT_EQ(words.size(), 2u + 2 + 2 + 3 + 2);
  EXPECT_EQ(text(key_of(words[0])), "int");
  EXPECT_EQ(type_of(words[0]), ArgType::kInt);
  EXPECT_EQ(static_cast<int64_t>(words[1]), -5);
  EXPECT_EQ(std::bit_cast<double>(words[3]), 2.5);
  EXPECT_EQ(type_of(words[4]), ArgType::kBool);
  EXPECT_EQ(words[5], 1u);
  EXPECT_EQ(type_of(words[6]), ArgType::kText);
  EXPECT_EQ(text_bytes_of(words[6]), 9u);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(&words[7]), 16),
            std::string("nine char\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(words[10], reinterpret_cast<uintptr_t>(this));
  EXPECT_EQ(records[2].header.arg, 1u) << "one range is still open around the inner one";
  EXPECT_EQ(records[3].header.arg, 0u);
  EXPECT_EQ(records[3].words.size(), 2u);
}

TEST_F(AnnotationsTest, AnEndWithoutABeginIsNothing) {
  perseid_end();
  perseid_instant("only this");
  perseid_end();
  EXPECT_EQ(finish().size(), 1u);
}

TEST_F(AnnotationsTest, MissingNamesAndTextsAreShownAsNull) {
  const perseid_arg args[] = {perseid_arg_text(nullptr, nullptr)};
  perseid_instant_with(nullptr, args, 1);
  const auto records = finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text(records[0].header.arg), "(null)");
  EXPECT_EQ(text(key_of(records[0].words[0])), "(null)");
  EXPECT_EQ(text_bytes_of(records[0].words[0]), 6u);
}

TEST_F(AnnotationsTest, NullArgumentsAreNoneWhateverTheirNumber) {
  perseid_begin_with(nullptr, nullptr, 3);
  perseid_instant_with(nullptr, nullptr, 3);
  perseid_end_with(nullptr, 3);
  perseid_counter(nullptr, 1);
  perseid_name_thread(nullptr);
  const perseid_lane lane = perseid_lane_named(nullptr);
  perseid_lane_end_with(lane, perseid_lane_begin_with(lane, nullptr, nullptr, 3), nullptr, 3);
  perseid_phase(nullptr);
  const auto records = finish();
  ASSERT_EQ(records.size(), 8u);
  const size_t words[] = {0, 0, 0, 1, 0, 2, 2, 0};
  for (size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].words.size(), words[i]) << i;
    EXPECT_EQ(records[i].header.flags, 0) << i;
  }
}

TEST_F(AnnotationsTest, AnEmptyViewIsAnEmptyText) {
  perseid::instant("x", {{"none", std::string_view()}, {"empty", ""}});
  const auto records = finish();
  ASSERT_EQ(records.size(), 1u);
  ASSERT_EQ(records[0].words.size(), 2u);
  for (const uint64_t head : records[0].words) EXPECT_EQ(text_bytes_of(head), 0u);
}

TEST_F(AnnotationsTest, WhatDoesNotFitIsCutAndMarked) {
  const std::string long_text(5000, 'z');
  const perseid_arg text_arg[] = {perseid_arg_text("long", long_text.c_str())};
  perseid_instant_with("long text", text_arg, 1);
  const std::vector<perseid_arg> many(100, perseid_arg_int("n", 1));
  perseid_instant_with("many arguments", many.data(), many.size());
  perseid_arg bad = perseid_arg_int("bad", 1);
  bad.type = 99;
  perseid_instant_with("bad type", &bad, 1);
  const auto records = finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].words.size(), kMaxRecordWords);
  EXPECT_EQ(text_bytes_of(records[0].words[0]), 8 * (kMaxRecordWords - 1));
  EXPECT_EQ(records[1].words.size(), 2u * 32);
  EXPECT_TRUE(records[2].words.empty());
  for (const Record& record : records) EXPECT_EQ(record.header.flags, kRecordTruncated);
}

TEST_F(AnnotationsTest, CountersLeaveOutWhatIsNotFinite) {
  perseid_counter("value", 1.25);
  perseid_counter("value", std::nan(""));
  perseid_counter("value", INFINITY);
  const auto records = finish();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(std::bit_cast<double>(records[0].words[0]), 1.25);
}

TEST_F(AnnotationsTest, LanesAreTheirNamesAndSlicesHaveIdsOfTheirOwn) {
  const perseid_lane lane = perseid_lane_named("requests");
  EXPECT_EQ(perseid_lane_named("requests"), lane);
  EXPECT_NE(perseid_lane_named("replies"), lane);
  const perseid_lane_slice first = perseid_lane_begin(lane, "a");
  const perseid_lane_slice second = perseid_lane_begin(lane, "b");
  EXPECT_NE(first, second);
  perseid_lane_end(lane, second);
  perseid_lane_end(lane, 0);
  EXPECT_EQ(perseid_lane_begin(0, "no lane"), 0u);
  const auto records = finish();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[1].words, (std::vector<uint64_t>{lane, second}));
  EXPECT_EQ(records[2].words, (std::vector<uint64_t>{lane, second}));
  EXPECT_EQ(text(static_cast<uint32_t>(lane)), "requests");
}

TEST_F(AnnotationsTest, PhasesFlowsAndNamesArePlainRecords) {
  perseid_phase("warm-up");
  perseid_flow_out(77);
  perseid_flow_in(77);
  perseid_name_thread("worker");
  perseid_phase(nullptr);
  const auto records = finish();
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(text(records[0].header.arg), "warm-up");
  EXPECT_EQ(records[1].words, std::vector<uint64_t>{77});
  EXPECT_EQ(records[2].words, std::vector<uint64_t>{77});
  EXPECT_EQ(text(records[3].header.arg), "worker");
  EXPECT_EQ(records[4].header.arg, 0u);
}

TEST_F(AnnotationsTest, CallsFromInsideTheLibraryAreCountedAndLeaveNoRecord) {
  perseid_instant("outside");
  {
    const InsideGuard guard;
    perseid_instant("inside");
    perseid_begin("inside");
    perseid_flow_out(1);
  }
  EXPECT_EQ(session().state_file.counters().nested.load(), 3u);
  EXPECT_EQ(finish().size(), 1u);
}

TEST_F(AnnotationsTest, AfterTheEndEveryCallIsHarmless) {
  perseid_begin("before");
  end_session(0);
  perseid_begin("after");
  perseid_instant("after");
  perseid_end();
  perseid_end();
  perseid_pause();
  perseid_resume();
  perseid_counter("after", 1);
  EXPECT_EQ(perseid_lane_named("after"), 0u);
  EXPECT_EQ(finish().size(), 1u);
}

}  // namespace
}  // namespace perseid
