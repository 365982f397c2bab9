// tests/fuzz/reader_fuzz.cpp: any bytes as a capture: never a crash, what is shown nests, and what
// is written can be read back.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "tests/fuzz/capture_parts.h"
#include "tests/fuzz/mutator.h"
#include "tests/stream/fabricate.h"
#include "tests/stream/recording_sink.h"
#include "tests/stream/temporary_directory.h"
#include "timeline/check/report.h"
#include "timeline/dump/dump.h"
#include "timeline/export/export.h"
#include "timeline/export/merge_captures.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using namespace perseid;

void fail(const std::string& why) {
  std::fprintf(stderr, "reader_fuzz: %s\n", why.c_str());
  std::abort();
}

/// What Perseid has written must be a timeline.
void expect_sound(const std::string& file) {
  const Result<CheckReport> checked = check_timeline(file);
  if (!checked) fail(checked.error());
  (void)format(*checked);
}

/// What somebody has damaged may be refused.
void damage_and_read(const std::string& file, const std::string& suffix, uint64_t seed) {
  const std::filesystem::path path(file);
  const std::string damaged = path.parent_path() / ("damaged" + suffix);
  std::string bytes = test::read_file(file);
  test::Mutator(seed).damage(bytes);
  test::write_file(damaged, bytes);
  if (const Result<CheckReport> checked = check_timeline(damaged)) (void)format(*checked);
  const Result<JoinReport> joined = join_timelines(
      {damaged, file}, {.out = path.parent_path() / ("joined" + suffix), .progress = {}});
  if (joined) std::filesystem::remove(joined->file);
}

void write_and_check(const std::string& capture, const std::string& directory,
                     const std::string& suffix, uint8_t flags, uint64_t seed) {
  const Result<ExportReport> report =
      export_capture(capture, {.out = directory + "/x" + suffix, .progress = {}});
  if (!report) fail(report.error());
  if (const std::string broken = broken_identity(report->answer); !broken.empty()) fail(broken);
  expect_sound(report->file);
  if ((flags & test::kDamageTimeline) != 0) damage_and_read(report->file, suffix, seed);
  std::filesystem::remove(report->file);
}

void merge(const std::string& capture, const std::string& directory) {
  const std::string copy = directory + "/y.capture";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(capture, copy);
  const Result<JoinReport> report =
      join_captures({capture, copy}, {.out = directory + "/j.json", .progress = {}});
  if (!report) fail(report.error());
  (void)describe(*report);
  (void)warnings(*report);
  expect_sound(report->file);
  std::filesystem::remove(report->file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const test::TemporaryDirectory directory;
  const std::string capture = directory / "x.capture";
  std::filesystem::remove_all(capture);
  std::filesystem::create_directory(capture);
  const uint8_t flags = test::unpack({reinterpret_cast<const char*>(data), size}, capture);

  const test::Reading reading = test::read_capture(capture);
  const std::string overlap = reading.sink.find_overlap();
  if (!overlap.empty()) fail("slices overlap: " + overlap);
  if (!reading.error.empty()) return 0;
  if (const Result<CheckReport> checked = check_capture(capture)) (void)format(*checked);
  (void)dump_records(capture, {}, [](std::string_view) { return true; });
  if (flags & test::kWriteJson) write_and_check(capture, directory.path(), ".json", flags, size);
  if (flags & test::kWritePftrace) {
    write_and_check(capture, directory.path(), ".pftrace", flags, size);
  }
  if (flags & test::kMerge) merge(capture, directory.path());
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  test::CaptureParts parts = test::split({reinterpret_cast<const char*>(data), size});
  test::Mutator(seed).mutate(parts);
  const std::string changed = test::join(parts);
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
