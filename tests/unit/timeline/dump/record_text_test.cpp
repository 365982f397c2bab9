// tests/unit/timeline/dump/record_text_test.cpp: each type of field has one way to be printed.
#include "timeline/dump/record_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "annotations/events.h"
#include "capture/payload.h"
#include "capture/reader.h"
#include "tests/stream/fabricate.h"
#include "timeline/check/report.h"
#include "timeline/dump/dump.h"
#include "timeline/walk/decoder.h"

namespace perseid::test {
namespace {

constexpr ValueName kModes[] = {{1, "read"}, {2, "write"}, {4, "scratch"}};
constexpr EventInfo kEvent = {
    1,
    "event",
    {field::signed_number("worker")},
    {field::address("task"), field::signed_number("priority").low(), field::number("flags").high(),
     field::real("flops").optional(), field::address("handle").repeated(),
     field::flags("mode", kModes).bits(0, 16), field::number("bytes").bits(16, 48)}};
static_assert(is_sound_table({&kEvent, 1}));
static_assert(fixed_words(kEvent) == 2);

constexpr EventInfo kSameNameTwice = {1, "event", {field::number("a")}, {field::number("a")}};
static_assert(!is_sound_table({&kSameNameTwice, 1}));
constexpr EventInfo kOverlap = {
    1, "event", {}, {field::number("a").bits(0, 40), field::number("b").high()}};
static_assert(!is_sound_table({&kOverlap, 1}));
constexpr EventInfo kHighAlone = {1, "event", {}, {field::number("a").high()}};
static_assert(!is_sound_table({&kHighAlone, 1}));
constexpr EventInfo kWideArgument = {1, "event", {field::number("a").bits(0, 33)}, {}};
static_assert(!is_sound_table({&kWideArgument, 1}));
constexpr EventInfo kTwoGroups = {
    1, "event", {}, {field::number("a").repeated(), field::number("b").repeated()}};
static_assert(!is_sound_table({&kTwoGroups, 1}));

class RecordTextTest : public testing::Test {
 protected:
  RecordTextTest() {
    name_ = builder_.string("say \"\x1b[31m\"");
    builder_.write();
    auto opened = Capture::open(builder_.path(), known_kinds());
    if (opened) capture_ = std::move(*opened);
  }

  std::string value(const Field& field, uint64_t word, unsigned word_bits = 64) {
    return RecordText(capture_->strings(), capture_->timebase()).value(field, word, word_bits);
  }
  std::string print(const EventInfo* event, uint32_t arg, const Words& words) {
    std::string line;
    const RecordHeader header{0, arg, 0, static_cast<uint8_t>(words.size()), 0};
    RecordText(capture_->strings(), capture_->timebase()).append(line, event, header, words);
    return line;
  }

  CaptureBuilder builder_;
  std::unique_ptr<Capture> capture_;
  uint32_t name_ = 0;
};

TEST_F(RecordTextTest, NumbersKeepTheirWidthAndSign) {
  EXPECT_EQ(value(field::number("n"), UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(value(field::signed_number("n"), UINT64_MAX), "-1");
  EXPECT_EQ(value(field::signed_number("n"), UINT32_MAX, 32), "-1");
  EXPECT_EQ(value(field::signed_number("n").low(), 0x5'ffff'fffeu), "-2");
  EXPECT_EQ(value(field::number("n").high(), 0x5'ffff'fffeu), "5");
  EXPECT_EQ(value(field::signed_number("n").bits(16, 16), 0xfff0'1234u, 32), "-16");
  EXPECT_EQ(value(field::address("a"), 0xdeadbeef), "0xdeadbeef");
  EXPECT_EQ(value(field::real("r"), std::bit_cast<uint64_t>(2.5)), "2.5");
}

TEST_F(RecordTextTest, FlagsAndChoicesAreNamedAsFarAsTheyAreKnown) {
  EXPECT_EQ(value(field::flags("f", kModes), 3), "read+write");
  EXPECT_EQ(value(field::flags("f", kModes), 0x11), "read+0x10");
  EXPECT_EQ(value(field::flags("f", kModes), 0), "0");
  EXPECT_EQ(value(field::choice("c", kModes), 4), "scratch");
  EXPECT_EQ(value(field::choice("c", kModes), 77), "77");
}

TEST_F(RecordTextTest, TextsAreQuotedAndHarmless) {
  EXPECT_EQ(value(field::string("s"), name_), R"("say \"\x1b[31m\"")");
  EXPECT_EQ(value(field::string("s"), 0), "none");
  EXPECT_EQ(value(field::string("s"), uint64_t{1} << 40), "0x10000000000");
  EXPECT_EQ(value(field::string("s"), 123456).front(), '"');
}

TEST_F(RecordTextTest, FieldsFollowTheWords) {
  EXPECT_EQ(print(&kEvent, UINT32_MAX, {0x10, halves(7, 1)}),
            " worker=-1 task=0x10 priority=7 flags=1");
  EXPECT_EQ(print(&kEvent, 0,
                  {0x10, 0, std::bit_cast<uint64_t>(1.5), 0xa, 1 | 64 << 16, 0xb, 2 | 8 << 16}),
            " worker=0 task=0x10 priority=0 flags=0 flops=1.5 handle[0]=0xa mode[0]=read "
            "bytes[0]=64 handle[1]=0xb mode[1]=write bytes[1]=8");
}

TEST_F(RecordTextTest, WordsThatAreMissingOrTooManyAreShown) {
  EXPECT_EQ(print(&kEvent, 0, {0x10}), " worker=0 task=0x10 short=1/2");
  EXPECT_EQ(print(&kEvent, 0, {}), " worker=0 short=0/2");
  EXPECT_EQ(print(&kEvent, 0, {1, 2, 0, 0xa}),
            " worker=0 task=0x1 priority=2 flags=0 flops=0 handle[0]=0xa");
  EXPECT_EQ(print(find_event(annotations::kind(annotations::kPause)), 3, {9}),
            " arg=0x3 word[0]=0x9");
  EXPECT_EQ(print(nullptr, 3, {9}), " arg=0x3 word[0]=0x9");
}

TEST_F(RecordTextTest, ArgumentsHaveTheirOwnKeysAndTypes) {
  using annotations::arg_word;
  using annotations::ArgType;
  const EventInfo* const event = find_event(annotations::kind(annotations::kEnd));
  EXPECT_EQ(print(event, 2, {arg_word(name_, ArgType::kInt, 0), UINT64_MAX}),
            R"( depth=2 "say \"\x1b[31m\""=-1)");
  EXPECT_EQ(print(event, 2, {arg_word(name_, ArgType{99}, 0), 1}), " depth=2 unreadable_words=2");
}

TEST(Kinds, AProducerStandsForAllOfItsEvents) {
  const auto all = parse_kinds("core");
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector<uint16_t>{1, 2, 3}));
  const auto two = parse_kinds("core.lost,annotations.pause");
  ASSERT_TRUE(two);
  EXPECT_EQ(*two, (std::vector<uint16_t>{2, annotations::kind(annotations::kPause)}));
  EXPECT_FALSE(parse_kinds("core.lots"));
  EXPECT_FALSE(parse_kinds(""));
}

TEST(Tables, FindAnEventByItsKindAndKnowItsFixedWords) {
  EXPECT_EQ(find_event(0x00ff), nullptr);
  EXPECT_EQ(find_event(0xffff), nullptr);
  EXPECT_STREQ(find_event(2)->name, "lost");
  EXPECT_EQ(fixed_words_by_kind()[0][2], 3);
}

TEST(Tables, NoCellOfTheDocumentationIsCut) {
  std::istringstream lines(schema());
  size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| 0x")) continue;
    ++rows;
    EXPECT_EQ(std::ranges::count(line, '|'), 5) << line;
  }
  EXPECT_GT(rows, 100u);
}

/// The lines of a dump.
std::vector<std::string> dump(const CaptureBuilder& capture, const DumpOptions& options = {}) {
  std::vector<std::string> lines;
  const auto report = dump_records(capture.path(), options, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  });
  if (!report) lines.push_back(report.error());
  return lines;
}

TEST(Dump, PrintsTheRecordsOfAllThreadsInOrderOfTime) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  capture.stream(2, 4243).begin(20, "inner").end(30, 0);
  main.begin(10, "outer", capture.argument("i", int64_t{-3})).end(1'000'000'040, 0);
  main.lost(1'000'000'050, 0, 7, 1'000'000'045, 0);
  capture.write();
  const std::vector<std::string> all = {
      "0.000000010 1 \"main\" annotations.range_begin name=\"outer\" \"i\"=-3\n",
      "0.000000020 2 \"thread 4243\" annotations.range_begin name=\"inner\"\n",
      "0.000000030 2 \"thread 4243\" annotations.range_end depth=0\n",
      "1.000000040 1 \"main\" annotations.range_end depth=0\n",
      "1.000000050 1 \"main\" core.lost open_ranges=0 records=7 begin=1.000000045 "
      "fewest_open_ranges=0\n"};
  EXPECT_EQ(dump(capture), all);
  EXPECT_EQ(dump(capture, {.streams = {2}}), (std::vector{all[1], all[2]}));
  EXPECT_EQ(dump(capture, {.threads = {"main"}}), (std::vector{all[0], all[3], all[4]}));
  EXPECT_EQ(dump(capture, {.kinds = {2}}), (std::vector{all[4]}));
  EXPECT_EQ(dump(capture, {.from_ns = 15, .to_ns = 30}), (std::vector{all[1], all[2]}));
  EXPECT_EQ(dump(capture, {.max_lines = 1}), (std::vector{all[0]}));
}

TEST(Dump, PrintsAHoleWhereAChunkIsMissing) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  main.begin(10, "a").end(20, 0).cut().begin(30, "b").end(40, 0).cut().begin(50, "c").end(60, 0);
  main.dropped_chunks = {1};
  capture.write();
  const std::vector<std::string> lines = dump(capture);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2], "0.000000050 1 \"main\" hole position=32 bytes=32 unreadable\n");
}

TEST(Dump, EndsWhenNothingMoreCanBeWritten) {
  CaptureBuilder capture;
  capture.stream(1, 4242, "main").begin(10, "a").end(20, 0);
  capture.write();
  int calls = 0;
  const auto report = dump_records(capture.path(), {}, [&](std::string_view) {
    ++calls;
    return false;
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(calls, 1);
}

TEST(ShortRecords, AreCountedAsDamage) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  main.record(10, annotations::kind(annotations::kCounter), capture.string("queue"));
  main.counter(20, "queue", 1);
  capture.write();
  const auto report = check_capture(capture.path());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->damages, 1u);
  EXPECT_EQ(report->damage_texts,
            std::vector<std::string>{"records with fewer words than their events need: 1"});
}

}  // namespace
}  // namespace perseid::test
