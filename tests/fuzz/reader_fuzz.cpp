// tests/fuzz/reader_fuzz.cpp: any bytes as a capture: never a crash, and what is shown nests.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "tests/fuzz/capture_parts.h"
#include "tests/stream/recording_sink.h"
#include "tests/stream/temporary_directory.h"
#include "timeline/export.h"
#include "timeline/summary.h"

namespace {

void fail(const std::string& why) {
  std::fprintf(stderr, "reader_fuzz: %s\n", why.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace perseid;
  static const test::TemporaryDirectory directory;
  const std::string capture = directory / "x.capture";
  std::filesystem::remove_all(capture);
  std::filesystem::create_directory(capture);
  const uint8_t flags = test::unpack({reinterpret_cast<const char*>(data), size}, capture);

  const test::Reading reading = test::read_capture(capture);
  const std::string overlap = reading.sink.find_overlap();
  if (!overlap.empty()) fail("slices overlap: " + overlap);

  if ((flags & test::kWriteTimeline) != 0 && reading.error.empty()) {
    const std::string out = directory / "x.json";
    const Result<ExportReport> report = export_capture(capture, {.out = out, .progress = {}});
    if (!report) fail(report.error());
    const Result<CheckReport> checked = check_timeline(report->file);
    if (!checked) fail(checked.error());
    std::filesystem::remove(report->file);
  }
  return 0;
}
