// tests/unit/timeline/writers/json/json_writer_test.cpp: the events of a timeline as text, and one
// JSON in all.
#include "timeline/writers/json/json_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "tests/unit/timeline/writers/memory_sink.h"

namespace perseid {
namespace {

class Json : public testing::Test {
 protected:
  Json() {
    Process process;
    process.pid = 7;
    process.name = "program";
    writer_.process(process);
    Track track;
    track.id = 1;
    track.pid = 7;
    track.tid = 8;
    track.name = "CPU 0";
    writer_.track(track);
  }

  void slice(int64_t begin_ns, int64_t end_ns, std::string_view name,
             std::span<const Argument> arguments = {}, std::span<const FlowEnd> flows = {}) {
    Slice made;
    made.track = 1;
    made.begin_ns = begin_ns;
    made.end_ns = end_ns;
    made.name = name;
    made.category = "test";
    made.arguments = arguments;
    made.flows = flows;
    writer_.slice(made);
  }

  /// The lines between the brackets, without the comma that separates them, in order of the file.
  std::vector<std::string> events() {
    writer_.finish({{"lost", "3"}});
    std::vector<std::string> lines;
    for (size_t at = 0, end = 0; (end = sink_.bytes.find('\n', at)) != std::string::npos;
         at = end + 1)
      lines.push_back(sink_.bytes.substr(at, end - at));
    EXPECT_EQ(lines.front(), "{\"traceEvents\":[");
    const auto last = std::find(lines.begin(), lines.end(), kAfterEvents);
    EXPECT_NE(last, lines.end());
    std::vector<std::string> found(lines.begin() + 1, last);
    for (size_t i = 0; i + 1 < found.size(); ++i) {
      EXPECT_TRUE(found[i].ends_with(','));
      found[i].pop_back();
    }
    return found;
  }

  static constexpr std::string_view kAfterEvents = "],\"displayTimeUnit\":\"ns\",\"otherData\":{";
  test::MemorySink sink_;
  JsonWriter writer_{sink_};
};

TEST_F(Json, ASliceHasItsPlaceItsTimesInMicrosecondsAndItsArguments) {
  const std::array<Argument, 3> arguments = {
      {{"priority", int64_t{-1}}, {"flops", 0.5}, {"is_last", true}}};
  slice(1'000, 2'345, "work", arguments);
  EXPECT_EQ(events().front(),
            R"({"ph":"X","name":"work","cat":"test","pid":7,"tid":8,"ts":1.000,"dur":1.345,)"
            R"("args":{"priority":-1,"flops":0.5,"is_last":true}})");
}

TEST_F(Json, NumbersThatADoubleCannotHoldAndAddressesAreText) {
  const std::array<Argument, 2> arguments = {{{"tag", ~uint64_t{0}}, {"at", Pointer{0x10}}}};
  slice(0, 1'000, "work", arguments);
  EXPECT_TRUE(events().front().ends_with(R"("args":{"tag":"18446744073709551615","at":"0x10"}})"));
}

TEST_F(Json, WhatWouldEndAStringIsEscaped) {
  const std::array<Argument, 1> arguments = {{{"k\"", std::string_view("\\\n\x01")}}};
  slice(0, 1'000, "a\"b", arguments);
  const std::string event = events().front();
  EXPECT_NE(event.find(R"("name":"a\"b")"), std::string::npos) << event;
  EXPECT_TRUE(event.ends_with(R"("args":{"k\"":"\\\n\u0001"}})")) << event;
}

TEST_F(Json, ASampleOfACounterIsNamedAfterItsTrack) {
  writer_.counter(1, 4'000, 2.5);
  EXPECT_EQ(events().front(),
            R"({"ph":"C","name":"CPU 0","pid":7,"tid":8,"ts":4.000,"args":{"value":2.5}})");
}

TEST_F(Json, AnArrowBeginsAtOneSliceAndEndsAtTheOther) {
  const std::array<FlowEnd, 1> out = {{{5, true, 1'000, 1'000}}};
  const std::array<FlowEnd, 1> in = {{{5, false, 3'000, 1'000}}};
  slice(1'000, 2'000, "from", {}, out);
  slice(3'000, 4'000, "to", {}, in);
  std::string flows;
  for (const std::string& event : events())
    if (event.find(R"("cat":"flow")") != std::string::npos) flows += event.substr(0, 9);
  EXPECT_EQ(flows, R"({"ph":"s"{"ph":"f")");
}

TEST_F(Json, NamesOfRowsComeLastBecauseTheyMayChange) {
  Track renamed;
  renamed.id = 1;
  renamed.pid = 7;
  renamed.tid = 8;
  renamed.name = "CPU 1";
  slice(1'000, 2'000, "work");
  writer_.track(renamed);
  const std::vector<std::string> lines = events();
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[1],
            R"({"ph":"M","name":"process_name","pid":7,"tid":7,"args":{"name":"program"}})");
  EXPECT_EQ(lines[3], R"({"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"CPU 1"}})");
}

TEST_F(Json, FactsOfTheRunStandBehindTheEvents) {
  slice(1'000, 2'000, "work");
  (void)events();
  EXPECT_TRUE(sink_.bytes.ends_with("\"otherData\":{\n\"lost\":\"3\"\n}}\n")) << sink_.bytes;
}

}  // namespace
}  // namespace perseid
