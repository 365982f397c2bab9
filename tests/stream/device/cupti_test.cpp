// tests/stream/device/cupti_test.cpp: CUDA's records as slices, odd streams included.
#include <gtest/gtest.h>

#include "cupti/events.h"
#include "cupti/numbers.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/ompt/ompt_stream.h"
#include "tests/stream/recording_sink.h"

namespace perseid::test {
namespace {

using namespace cupti;
using Lines = std::vector<std::string>;

uint64_t time_at(int64_t ns) { return static_cast<uint64_t>(kStartMonoNs + ns); }
uint64_t of(Domain domain, uint64_t correlation) {
  return correlation | uint64_t{static_cast<uint32_t>(domain)} << 32;
}
Words kernel(uint64_t correlation, int64_t begin, int64_t end, uint64_t stream = 7) {
  return {correlation,
          time_at(begin),
          time_at(end),
          1 | stream << 32,
          2 | uint64_t{1} << 32,
          1 | uint64_t{32} << 32,
          1 | uint64_t{1} << 32,
          16,
          0};
}

class CuptiStream : public testing::Test {
 protected:
  void begin(int64_t at, const char* function, uint64_t correlation,
             Domain domain = Domain::kRuntime) {
    main.record(at, cupti::kind(kCallBeginRecord), capture.string(function),
                {of(domain, correlation), 211});
  }
  void end(int64_t at, uint64_t correlation, Domain domain = Domain::kRuntime) {
    main.record(at, cupti::kind(kCallEndRecord), 0, {of(domain, correlation)});
  }
  Reading read() {
    capture.write();
    return read_capture(capture.path());
  }

  CaptureBuilder capture;
  StreamBuilder& main = capture.stream(1, capture.pid, "main");
  StreamBuilder& cupti_thread = capture.stream(2, 77, "cupti");
};

TEST_F(CuptiStream, WorkHangsOnTheCallWhicheverDomainItNames) {
  begin(1000, "cudaLaunchKernel_v7000", 4);
  begin(1010, "cuLaunchKernel", 5, Domain::kDriver);
  end(1030, 5, Domain::kDriver);
  end(1040, 4);
  cupti_thread.record(5000, cupti::kind(kKernelRecord), capture.string("_Z3addPi"),
                      kernel(5, 1500, 2500));
  cupti_thread.record(5001, cupti::kind(kKernelRecord), capture.string("_Z3addPi"),
                      kernel(4, 2500, 2600));
  const Reading reading = read();
  EXPECT_EQ(reading.sink.lines,
            (Lines{"main: 1000..1040 cudaLaunchKernel {correlation=4, origin=program} ->1",
                   "GPU 0 busy: @1500 = 1",
                   "GPU 0 · stream 7: 1500..2500 add {grid=2 x 1 x 1, block=32 x 1 x 1, "
                   "registers_per_thread=16, static_shared_bytes=0, dynamic_shared_bytes=0, "
                   "signature=add(int*), origin=program} <-1",
                   "GPU 0 busy: @2500 = 0", "GPU 0 busy: @2500 = 1",
                   "GPU 0 · stream 7: 2500..2600 add {grid=2 x 1 x 1, block=32 x 1 x 1, "
                   "registers_per_thread=16, static_shared_bytes=0, dynamic_shared_bytes=0, "
                   "signature=add(int*), origin=program} <-1",
                   "GPU 0 busy: @2600 = 0"}));
}

TEST_F(CuptiStream, ACallInAnOpenmpTaskNamesTheTask) {
  OmptStream openmp(main);
  openmp.initial(100, 1);
  openmp.parallel(200, 2).implicit(210, 3, 2, 0, 1);
  begin(1000, "cudaLaunchKernel_v7000", 4);
  end(1040, 4);
  openmp.implicit_end(2000);
  cupti_thread.record(5000, cupti::kind(kKernelRecord), capture.string("add"),
                      kernel(4, 1500, 1800));
  const Reading reading = read();
  bool is_named = false;
  for (const std::string& line : reading.sink.lines) {
    is_named = is_named || (line.starts_with("GPU 0 · stream 7: 1500..1800 add") &&
                            line.find("task_name=parallel") != std::string::npos &&
                            line.find("origin=task") != std::string::npos);
  }
  EXPECT_TRUE(is_named) << testing::PrintToString(reading.sink.lines);
}

TEST_F(CuptiStream, WithoutOurClockThePairsPlaceTheWork) {
  main.record(10, cupti::kind(kClockRecord), 0, {time_at(10), 900'000});
  begin(1000, "cudaMemcpyAsync", 4);
  end(1040, 4);
  cupti_thread.record(
      5000, cupti::kind(kCopyRecord), static_cast<uint32_t>(CopyKind::kHostToDevice) | 1u << 24,
      {4, 900'000 + 2000 - 10, 900'000 + 3000 - 10, 1 | uint64_t{7} << 32, 500, 0, 0});
  const Reading reading = read();
  EXPECT_EQ(reading.sink.lines[2],
            "GPU 0 · stream 7: 2000..3000 copy host → device {bytes=500, "
            "gigabytes_per_second=0.5, from_memory=unknown, to_memory=unknown, asynchronous=true, "
            "origin=program} <-1");
}

TEST_F(CuptiStream, MemoryIsCountedInOrderOfTimeWhicheverBufferComesFirst) {
  const auto memory = [&](int64_t at, MemoryOperation operation, uint64_t address, uint64_t bytes) {
    cupti_thread.record(
        5000, cupti::kind(kMemoryRecord),
        static_cast<uint32_t>(operation) | static_cast<uint32_t>(MemoryKind::kDevice) << 8,
        {0, time_at(at), address, bytes, 0, 0, 0, kUnknownBytes});
  };
  memory(300, MemoryOperation::kRelease, 0x10, 64);
  memory(100, MemoryOperation::kAllocation, 0x10, 64);
  memory(200, MemoryOperation::kAllocation, 0x20, 8);
  memory(250, MemoryOperation::kRelease, 0x99, 500);     // allocated before the trace
  memory(400, MemoryOperation::kAllocation, 0x20, 100);  // its release is lost
  memory(500, MemoryOperation::kRelease, 0x20, 0);       // without its size
  EXPECT_EQ(
      read().sink.lines,
      (Lines{"GPU 0 device memory bytes: @100 = 64", "GPU 0 device memory bytes: @200 = 72",
             "GPU 0 device memory bytes: @300 = 8", "GPU 0 device memory bytes: @400 = 0",
             "GPU 0 device memory bytes: @400 = 100", "GPU 0 device memory bytes: @500 = 0"}));
}

TEST_F(CuptiStream, PoolsOfADeviceAddUp) {
  const auto pool = [&](int64_t at, PoolOperation operation, uint64_t address, uint64_t bytes,
                        uint64_t used) {
    cupti_thread.record(5000, cupti::kind(kPoolRecord), static_cast<uint32_t>(operation),
                        {0, time_at(at), address, bytes, used});
  };
  pool(100, PoolOperation::kCreated, 0x10, 64, 0);
  pool(200, PoolOperation::kCreated, 0x20, 32, 8);
  pool(300, PoolOperation::kTrimmed, 0x10, 16, 0);
  pool(400, PoolOperation::kDestroyed, 0x10, 16, 0);
  pool(500, PoolOperation::kTrimmed, 0x20, 24, kUnknownBytes);
  EXPECT_EQ(read().sink.lines,
            (Lines{"GPU 0 memory pool bytes: @100 = 64", "GPU 0 memory pool bytes: @200 = 96",
                   "GPU 0 memory pool used bytes: @200 = 8", "GPU 0 memory pool bytes: @300 = 48",
                   "GPU 0 memory pool bytes: @400 = 32", "GPU 0 memory pool bytes: @500 = 24"}));
}

TEST_F(CuptiStream, OddRecordsDoNoHarm) {
  end(900, 99);
  begin(1000, "cudaStreamSynchronize_v3020", 4);
  cupti_thread.record(5000, cupti::kind(kKernelRecord), 0, {});
  cupti_thread.record(5001, cupti::kind(kMemoryRecord), 2 | 3 << 8, {0, time_at(100), 1, 64, 0});
  cupti_thread.record(5002, cupti::kind(kMarkerRecord), 0,
                      {4 | uint64_t{9} << 32, time_at(100), 0});
  cupti_thread.record(5003, cupti::kind(kDroppedRecord), 0, {12});
  cupti_thread.record(5004, cupti::kind(kUnknownKindRecord), 200, {3});
  cupti_thread.record(5005, cupti::kind(kSetRecord), 0,
                      {uint64_t{0xffffffff} << 32, time_at(9), time_at(3), 0, 8, 0});
  const Reading reading = read();
  EXPECT_EQ(reading.report.orphan_ends, 2u);
  EXPECT_EQ(reading.sink.fact("cuda_records_dropped"), "12");
  EXPECT_EQ(reading.sink.fact("cuda_work_without_call"), "2");
  EXPECT_EQ(reading.sink.fact("cupti_unknown_records_of_kind_200"), "3");
  EXPECT_EQ(reading.sink.find_overlap(), "");
  EXPECT_EQ(reading.report.short_records, 2u);
  EXPECT_EQ(reading.damage_count, 1u);
  bool is_unfinished = false;
  for (const std::string& line : reading.sink.lines) {
    is_unfinished = is_unfinished || (line.starts_with("main: 1000..") &&
                                      line.find("unfinished=true") != std::string::npos);
  }
  EXPECT_TRUE(is_unfinished) << testing::PrintToString(reading.sink.lines);
}

}  // namespace
}  // namespace perseid::test
