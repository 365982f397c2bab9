// tests/stream/cpu_times_test.cpp: samples of the recorder's own stream belong to other threads.
#include <gtest/gtest.h>

#include <tuple>

#include "capture/core_events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"
#include "tests/stream/row_sink.h"

namespace perseid::test {
namespace {

constexpr uint16_t kSamples = core::kind(core::kCpuTimes);

StreamBuilder& recorder_of(CaptureBuilder& capture, uint32_t number) {
  StreamBuilder& stream = capture.stream(number, 99, "perseid");
  stream.role = StreamRole::kRecorder;
  return stream;
}

TEST(CpuTimes, AreRowsOfTheirThreads) {
  using Part = std::tuple<int64_t, ThreadId, int64_t>;
  CaptureBuilder capture;
  capture.stream(4, 4242, "main").instant(10, "a");
  recorder_of(capture, 5)
      .record(100, kSamples, 0, {4, 1000, 7, 2000, 6, 3000})  // of 6 nothing else is there
      .record(200, kSamples, 0, {7, 2500, 4})
      .record(300, kSamples, 0);
  capture.stream(7, 4243, "worker").instant(20, "b");
  capture.write();
  RowSink rows;
  WalkOptions options;
  options.model_sinks = {&rows};
  const Reading reading = read_capture(capture.path(), options);
  std::vector<Part> parts;
  for (const CpuTimeRow& row : rows.cpu_times) parts.emplace_back(row.ns, row.thread, row.cpu_ns);
  EXPECT_EQ(parts, (std::vector<Part>{{100, 1, 1000}, {100, 3, 2000}, {200, 3, 2500}}));
  EXPECT_EQ(reading.sink.fact("threads"), "2");
  EXPECT_EQ(reading.sink.fact("damages"), "0");
  for (const auto& [id, track] : reading.sink.tracks) EXPECT_NE(track.name, "perseid");
}

TEST(CpuTimes, ARecorderWithRecordsOfAnotherKindHasARow) {
  CaptureBuilder capture;
  recorder_of(capture, 1).record(100, kSamples, 0, {1, 5}).instant(110, "a");
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines, (std::vector<std::string>{"perseid: @110 a"}));
}

}  // namespace
}  // namespace perseid::test
