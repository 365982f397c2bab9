// tests/stream/starpu/transfers_test.cpp: copies between memory nodes, and memory on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "tests/stream/starpu/starpu_capture.h"

namespace perseid::test {
namespace {

constexpr uint32_t kToDevice = 0 | 1 << 16;
constexpr uint32_t kFromDevice = 1 | 0 << 16;
constexpr uint32_t kAgain = static_cast<uint32_t>(-EAGAIN);

void name_device(StarpuCapture& starpu) {
  starpu.main()
      .record(30, events::kMemoryNode, 1, {starpu.string("OpenCL 0"), 0, 0})
      .record(30, events::kDataRegister, 0, {0xda, 1000, 0x10000, 0})
      .named(30, events::kDataName, "x", {0xda});
}

TEST(StarpuTransfers, EachLinkIsALaneWithBytesDataAndBandwidth) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.worker(0)
      .record(100, events::kCopyBegin, kToDevice, {1000, 0x10000, 0x77})
      .record(600, events::kCopyEnd, 0, {1000})
      .record(700, events::kCopyBegin, kFromDevice, {1000, 0x77, 0x10000})
      .record(900, events::kCopyEnd, 0, {1000});
  const Reading reading = starpu.read();
  const Lines& lines = reading.sink.lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(),
                       "NUMA 0 → OpenCL 0: 100..600 copy {bytes=1000, data=x, by=CPU 0, "
                       "gigabytes_per_second=2}"),
            1);
  EXPECT_EQ(shown_on(reading, "OpenCL 0 → NUMA 0"), Lines{"700..900 copy"});
  EXPECT_EQ(samples(reading, "bytes in flight"),
            (Lines{"@100 = 1000", "@600 = 0", "@700 = 1000", "@900 = 0"}));
}

TEST(StarpuTransfers, AnAsynchronousCopyEndsWhenAllItsPartsHave) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.worker(0)
      .record(100, events::kCopyBegin, kToDevice, {1000, 0x10000, 0x77})
      .record(110, events::kCopyStarted, 0, {1, 600})
      .record(120, events::kCopyStarted, 0, {2, 400})
      .record(130, events::kCopyEnd, kAgain, {1000});
  starpu.thread("driver")
      .record(500, events::kCopyDone, 0, {1, 200})
      .record(800, events::kCopyDone, 0, {2, 50});
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "NUMA 0 → OpenCL 0"), Lines{"100..800 copy"});
  EXPECT_EQ(argument_of(reading, "copy", "enqueue_ns"), "30");
  EXPECT_EQ(argument_of(reading, "copy", "device_ns"), "250");
  EXPECT_EQ(argument_of(reading, "copy", "gigabytes_per_second"), "4");
}

TEST(StarpuTransfers, CopiesThatOverlapStandBelowEachOther) {
  StarpuCapture starpu(2);
  name_device(starpu);
  for (uint32_t i = 0; i < 2; ++i) {
    starpu.worker(i)
        .record(100 + i, events::kCopyBegin, kToDevice, {10, 1, 2})
        .record(200 + i, events::kCopyEnd, 0, {10});
  }
  const Reading reading = starpu.read();
  EXPECT_EQ(shown_on(reading, "NUMA 0 → OpenCL 0"), Lines{"100..200 copy"});
  EXPECT_EQ(shown_on(reading, "NUMA 0 → OpenCL 0 (2)"), Lines{"101..201 copy"});
  EXPECT_EQ(samples(reading, "bytes in flight"),
            (Lines{"@100 = 10", "@101 = 20", "@200 = 10", "@201 = 0"}));
}

TEST(StarpuTransfers, AnEndThatNobodySawIsSaid) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.worker(0)
      .record(100, events::kCopyBegin, kToDevice, {1000, 0, 0})
      .record(130, events::kCopyEnd, kAgain, {1000})
      .record(150, events::kCopyBegin, kToDevice, {1000, 0, 0})
      .record(160, events::kCopyStarted, 0, {9, 1000})
      .record(170, events::kCopyEnd, kAgain, {1000});
  starpu.main().submit_at(500, 0xa);
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "copy", "end"), "not seen");
  EXPECT_EQ(shown_on(reading, "NUMA 0 → OpenCL 0"), (Lines{"100..130 copy", "150..510 copy"}));
  const auto is_unfinished = [](const std::string& line) {
    return line.find("150..510 copy") != std::string::npos &&
           line.find("unfinished=true") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(reading.sink.lines.begin(), reading.sink.lines.end(), is_unfinished), 1);
}

TEST(StarpuTransfers, MemoryOfANodeIsACounter) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.worker(0)
      .record(100, events::kAllocate, 1, {0x77, 4096})
      .record(110, events::kAllocate, 1, {0x99, 1000})
      .record(120, events::kFree, 1, {0x77, 4096});
  EXPECT_EQ(samples(starpu.read(), "allocated: OpenCL 0"),
            (Lines{"@100 = 4096", "@110 = 5096", "@120 = 1000", "@120 = 0"}));
}

TEST(StarpuTransfers, APartOfTheDataIsFoundByItsAddress) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.main().record(40, events::kDataPartition, 0,
                       {0xda, 0xdb, 500, 0x10000, 0xdc, 500, 0x101f4});
  starpu.main().record(41, events::kDataAddress, 1, {0xdc, 0x5000, 500});
  starpu.worker(0)
      .record(100, events::kCopyBegin, kToDevice, {500, 0x10000, 0x1})
      .record(110, events::kCopyEnd, 0, {500})
      .record(120, events::kCopyBegin, kFromDevice, {100, 0x5064, 0x1})
      .record(130, events::kCopyEnd, 0, {100})
      .record(140, events::kCopyBegin, kToDevice, {1000, 0x10000, 0x1})
      .record(150, events::kCopyEnd, 0, {1000});
  Lines data;
  for (const std::string& line : starpu.read().sink.lines) {
    const size_t at = line.find("data=");
    if (at != std::string::npos) data.push_back(line.substr(at + 5, line.find(',', at) - at - 5));
  }
  EXPECT_EQ(data, (Lines{"x[0]", "x[1]", "x"}));
}

TEST(StarpuTransfers, PartsThatWereTakenBackDoNotHideTheWhole) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.main()
      .record(40, events::kDataPartition, 0, {0xda, 0xdb, 1000, 0x10000})
      .record(50, events::kDataPartition, 2, {0xda});
  starpu.worker(0)
      .record(100, events::kCopyBegin, kToDevice, {1000, 0x10000, 0x1})
      .record(110, events::kCopyEnd, 0, {1000});
  EXPECT_EQ(argument_of(starpu.read(), "copy", "data"), "x");
}

TEST(StarpuTransfers, RequestsForDataAreMoments) {
  StarpuCapture starpu(1);
  name_device(starpu);
  starpu.main().record(100, events::kDataRequest,
                       static_cast<uint32_t>(events::DataRequest::kPrefetch), {0xda, 1});
  const Reading reading = starpu.read();
  EXPECT_EQ(argument_of(reading, "prefetch data", "data"), "x");
  EXPECT_EQ(argument_of(reading, "prefetch data", "memory_node"), "OpenCL 0");
}

}  // namespace
}  // namespace perseid::test
