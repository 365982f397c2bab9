// tests/stream/device/opencl_test.cpp: OpenCL's records as slices, odd streams included.
#include <gtest/gtest.h>

#include "opencl/events.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using opencl::Command;
using Lines = std::vector<std::string>;

constexpr uint64_t kDeviceStart = 5'000'000;  // the device's clock at our 0

Words done(uint64_t id, int64_t queued, int64_t started, int64_t ended) {
  const auto on_device = [](int64_t at) { return kDeviceStart + static_cast<uint64_t>(at); };
  return {id, on_device(queued), on_device(queued), on_device(started), on_device(ended)};
}

TEST(OpenclStream, ACommandIsACallAndWorkOnItsQueue) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, capture.pid, "main");
  main.record(10, opencl::kind(opencl::kDevice), 0, {capture.string("PoCL")})
      .record(20, opencl::kind(opencl::kQueue), 1, {0, 0})
      .record(1020, opencl::kind(opencl::kCommand), static_cast<uint32_t>(Command::kWriteBuffer),
              {7, ticks_at(1000), 1, 4096})
      .record(2020, opencl::kind(opencl::kKernel), capture.string("scale"),
              {8, ticks_at(2000), 1, 2, 64, 4, 0, 8, 1, 0})
      .record(9000, opencl::kind(opencl::kDone), 0, done(7, 1010, 1500, 2500))
      .record(9010, opencl::kind(opencl::kDone), 0, done(8, 2010, 2500, 3500))
      .record(9100, opencl::kind(opencl::kWait), 0, {ticks_at(9050), 1});
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: 1000..1020 clEnqueueWriteBuffer {command=write buffer, bytes=4096, "
                   "origin=program} ->1",
                   "main: 2000..2020 clEnqueueNDRangeKernel {command=scale, global_size=64 x 4, "
                   "local_size=8 x 1, origin=program} ->2",
                   "main: 9050..9100 clFinish {queue=1, origin=program}",
                   "OpenCL device 0 busy: @1500 = 1",
                   "OpenCL device 0 · PoCL · queue 1: 1500..2500 write buffer {bytes=4096, "
                   "gigabytes_per_second=4.096, waited_ns=490, origin=program} <-1",
                   "OpenCL device 0 busy: @2500 = 0", "OpenCL device 0 busy: @2500 = 1",
                   "OpenCL device 0 · PoCL · queue 1: 2500..3500 scale {global_size=64 x 4, "
                   "local_size=8 x 1, waited_ns=490, origin=program} <-2",
                   "OpenCL device 0 busy: @3500 = 0"}));
  EXPECT_EQ(reading.sink.find_overlap(), "");
}

TEST(OpenclStream, WhatOverlapsGoesToARowBelow) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, capture.pid, "main");
  main.record(20, opencl::kind(opencl::kQueue), 3, {1, opencl::kOutOfOrder});
  for (uint64_t id = 1; id <= 3; ++id) {
    const auto at = static_cast<int64_t>(1000 * id);
    main.record(at + 10, opencl::kind(opencl::kKernel), capture.string("k"),
                {id, ticks_at(at), 3, 1, 1, 0, 0, 0, 0, 0});
  }
  // Told in another order than they ran.
  main.record(20'000, opencl::kind(opencl::kDone), 0, done(3, 3005, 5000, 9000))
      .record(20'001, opencl::kind(opencl::kDone), 0, done(1, 1005, 4000, 6000))
      .record(20'002, opencl::kind(opencl::kDone), 0, done(2, 2005, 6000, 7000));
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.sink.find_overlap(), "");
  EXPECT_EQ(reading.sink.track_names(), (Lines{"OpenCL device 1 · queue 3 (out of order)",
                                               "OpenCL device 1 · queue 3 (out of order) (2)",
                                               "main", "OpenCL device 1 busy"}));
}

TEST(OpenclStream, WorkToldInTheWorstOrderStillNestsAndIsAllThere) {
  constexpr uint64_t kCommands = 6000;  // more than a device keeps waiting
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, capture.pid, "main");
  main.record(20, opencl::kind(opencl::kQueue), 1, {0, 0});
  for (uint64_t id = 1; id <= kCommands; ++id) {
    const auto at = static_cast<int64_t>(1000 * id);
    if (id % 1000 == 0) main.cut();  // chunks have a largest size
    main.record(at + 10, opencl::kind(opencl::kCommand), 0, {id, ticks_at(at), 1, 8});
  }
  const auto end = static_cast<int64_t>(1000 * kCommands);
  for (uint64_t id = kCommands; id >= 1; --id) {
    const auto at = static_cast<int64_t>(1000 * id);
    if (id % 1000 == 0) main.cut();
    main.record(end + 100'000 - at / 1000, opencl::kind(opencl::kDone), 0,
                done(id, at + 5, at + 100, at + 900));
  }
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.damages, Lines{});
  EXPECT_EQ(reading.sink.find_overlap(), "");
  size_t shown = 0;
  for (const std::string& line : reading.sink.lines) {
    shown += line.find(" read buffer {bytes=8") != std::string::npos &&
             line.starts_with("OpenCL device 0");
  }
  EXPECT_EQ(shown, kCommands);
}

TEST(OpenclStream, FailedLostAndUnfinishedCommandsDoNoHarm) {
  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, capture.pid, "main");
  main.record(20, opencl::kind(opencl::kQueue), 1, {0, 0})
      .record(1020, opencl::kind(opencl::kKernel), 0,
              {5, ticks_at(1000), 1 | uint64_t{0xffffffcb} << 32, 1, 0, 0, 0, 0, 0, 0})
      .record(1100, opencl::kind(opencl::kCommand), 250, {6, ticks_at(1050), 9, 0})
      .record(1200, opencl::kind(opencl::kDone), 0, done(77, 10, 20, 30))
      .record(1300, opencl::kind(opencl::kDone), 0, {6})
      .record(1400, opencl::kind(opencl::kCommand), 0, {8, ticks_at(1350), 1, 16})
      .record(1500, opencl::kind(opencl::kWait), 9, {});
  capture.write();
  const Reading reading = read_capture(capture.path());
  EXPECT_EQ(reading.report.orphan_ends, 1u);
  EXPECT_EQ(reading.sink.fact("opencl_commands_without_times"), "1");
  EXPECT_EQ(reading.sink.lines.front(),
            "main: 1000..1020 clEnqueueNDRangeKernel {command=kernel, global_size=0, error=-53, "
            "origin=program}");
  EXPECT_EQ(reading.report.short_records, 2u);
  EXPECT_EQ(reading.damage_count, 1u);
}

}  // namespace
}  // namespace perseid::test
