// timeline/export.cpp: joins reader, walk and writer.
#include "timeline/export.h"

#include <fmt/format.h>

#include <memory>

#include "capture/reader.h"
#include "timeline/decoder.h"
#include "timeline/walk.h"
#include "timeline/writers/output_file.h"
#include "timeline/writers/writer.h"

namespace perseid {
namespace {

/// Passes everything on and counts what a report tells.
class CountingSink final : public TraceSink {
 public:
  explicit CountingSink(TraceSink& to) : to_(&to) {}

  void process(const Process& process) override { to_->process(process); }
  void track(const Track& track) override { to_->track(track); }
  void slice(const Slice& slice) override {
    ++slices_;
    to_->slice(slice);
  }
  void counter(TrackId track, int64_t at_ns, double value) override {
    to_->counter(track, at_ns, value);
  }
  void finish(const RunFacts& facts) override { to_->finish(facts); }
  uint64_t slices() const noexcept { return slices_; }

 private:
  TraceSink* to_;
  uint64_t slices_ = 0;
};

std::string human_bytes(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  if (bytes < 1024 * 1024) return fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024);
  return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1024 * 1024));
}

uint64_t arrows_wanted(const Manifest& manifest) {
  const std::string_view setting = manifest.get("deps");
  if (setting == "all") return UINT64_MAX;
  return setting.empty() ? DependencyBudget::kDefault : manifest.get_number("deps");
}

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

}  // namespace

Result<ExportReport> export_capture(const std::string& capture, const ExportOptions& options) {
  Result<std::unique_ptr<Capture>> opened = Capture::open(capture, known_kinds());
  if (!opened) return Error{opened.error()};
  Capture& source = **opened;

  const std::string wanted =
      options.out.empty() ? std::string(source.manifest().get("out")) : options.out;
  if (wanted.empty()) {
    return Error{
        fmt::format("{} does not say where its timeline goes; give a file with -o", source.path())};
  }
  const Result<ChosenWriter> writer = choose_writer(wanted);
  if (!writer) return Error{writer.error()};
  Result<OutputFile> file = OutputFile::create(writer->path);
  if (!file) return Error{file.error()};

  const std::unique_ptr<TraceSink> sink = writer->entry->make(*file);
  CountingSink counting(*sink);
  const WalkReport walked = walk(
      source, counting,
      {.progress = options.progress,
       .dependency_arrows = options.dependency_arrows.value_or(arrows_wanted(source.manifest())),
       .may_load_libraries = options.may_load_libraries});

  ExportReport report;
  report.records = walked.records;
  report.slices = counting.slices();
  report.lost = walked.lost;
  report.damages = source.damages().count();
  report.file_bytes = file->bytes();
  const Result<std::string> name = file->commit();
  if (!name) {
    return Error{fmt::format("{}; the capture {} is kept", name.error(), source.path())};
  }
  report.file = *name;
  return report;
}

std::string describe(const ExportReport& report) {
  std::string line =
      fmt::format("{} event{}, {} lost", report.records, plural(report.records), report.lost);
  if (report.damages > 0) {
    line += fmt::format(", {} damaged place{}", report.damages, plural(report.damages));
  }
  return line + fmt::format(", {} in {}", human_bytes(report.file_bytes), report.file);
}

}  // namespace perseid
