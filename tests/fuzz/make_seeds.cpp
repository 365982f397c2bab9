// tests/fuzz/make_seeds.cpp: writes the inputs from which the fuzzer starts into a directory:
// captures made here, and those of real programs.
#include <cstdio>
#include <string>

#include "annotations/events.h"
#include "capture/core_events.h"
#include "tests/fuzz/capture_parts.h"
#include "tests/stream/fabricate.h"

namespace {

using namespace perseid;
using namespace perseid::test;

void fill_ranges(CaptureBuilder& capture) {
  StreamBuilder& main = capture.stream(1, 4242, "main", 0);
  main.begin(10, "outer", capture.argument("n", int64_t{1}) + capture.argument("text", "hello"))
      .begin(20, "inner")
      .flow_out(25, 7)
      .end(30, 1, capture.argument("x", 0.5))
      .cut()
      .instant(40, "moment", capture.pointer("p", 0xbeef))
      .counter(45, "ready", 2)
      .end(50, 0);
  capture.stream(2, 4243, "worker").begin(60, "run").flow_in(65, 7).end(70, 0);
  capture.topology = "perseid-topology 1 hwloc 2.9.0\npu 0 core 0 numa 0 package 0\n";
}

void fill_lanes(CaptureBuilder& capture) {
  capture.stream(1, 4242, "main")
      .phase(5, "warm-up")
      .lane_begin(10, "lane", 1, "a")
      .lane_begin(15, "lane", 2, "b")
      .lane_end(20, "lane", 1)
      .record(25, annotations::kind(annotations::kPause), 0)
      .record(35, annotations::kind(annotations::kResume), 0)
      .lane_end(40, "lane", 2)
      .phase(50, "");
}

void fill_losses(CaptureBuilder& capture) {
  StreamBuilder& main = capture.stream(1, 4242, "main");
  main.begin(10, "a")
      .begin(20, "b")
      .lost(100, 3, 17, 50, 1)
      .end(110, 2)
      .record(130, core::kind(core::kSelfFlush), 4096, {ticks_at(120)})
      .end(140, 1);
  main.cut().begin(150, "missing").cut().begin(160, "c").end(170, 2).end(180, 0);
  main.dropped_chunks = {1};
}

void fill_rings(CaptureBuilder& capture) {
  capture.end = SessionEnd::kRunning;
  StreamBuilder& main = capture.stream(1, 4242, "main");
  main.begin(10, "a").cut().end(20, 0).ring_holds_all();
  StreamBuilder& second = capture.stream(2, 4243, "second");
  second.on_full = OnFull::kOverwrite;
  second.dropped_chunks = {0};
  second.begin(30, "gone").ring_from_here().begin(40, "b").end(50, 1).end(60, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: make_seeds DIRECTORY [CAPTURE ...]\n", stderr);
    return 2;
  }
  int number = 0;
  const auto add = [&](const std::string& capture, uint8_t flags) {
    write_file(std::string(argv[1]) + "/seed" + std::to_string(number++), pack(capture, flags));
  };
  for (void (*fill)(CaptureBuilder&) : {fill_ranges, fill_lanes, fill_losses, fill_rings}) {
    CaptureBuilder capture;
    fill(capture);
    capture.write();
    for (const uint8_t flags : {uint8_t{0}, kSealSums, kAllFlags}) add(capture.path(), flags);
  }
  for (int i = 2; i < argc; ++i) {
    // Mutations combine them; all at once would take most of the time.
    for (const int also :
         {0, kWriteJson | kDamageTimeline, kWritePftrace | kDamageTimeline, +kMerge}) {
      add(argv[i], static_cast<uint8_t>(kSealSums | also));
    }
  }
  return 0;
}
