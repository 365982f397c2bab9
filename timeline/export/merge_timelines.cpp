// timeline/export/merge_timelines.cpp: copies finished timelines of ranks into one.
#include <fmt/format.h>

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "timeline/check/plain_file.h"
#include "timeline/check/report_reader.h"
#include "timeline/check/timeline_check.h"
#include "timeline/export/merge_captures.h"
#include "timeline/report/report_json.h"
#include "timeline/writers/gzip_stream.h"
#include "timeline/writers/output_file.h"

namespace perseid {
namespace {

/// No event is that long; a hole in a file would be one without an end.
constexpr size_t kMaxLineBytes = size_t{64} << 20;
constexpr size_t kBlockBytes = 1 << 20;

void write(ByteSink& to, std::string_view text) { to.write(text.data(), text.size()); }

/// Files of packets one after the other are one file of packets.
void append_packets(const File& file, ByteSink& to) {
  std::vector<char> block(kBlockBytes);
  uint64_t offset = 0;
  while (const size_t got = file.read_at(offset, block.data(), block.size())) {
    to.write(block.data(), got);
    offset += got;
  }
}

class Lines {
 public:
  explicit Lines(const File& file) : file_(&file) {}

  /// False at the end. Without the newline; valid until the next call.
  bool next(std::string_view& line) {
    size_t looked_at = at_;
    for (;;) {
      const void* const end = looked_at < text_.size()
                                  ? std::memchr(&text_[looked_at], '\n', text_.size() - looked_at)
                                  : nullptr;
      if (end != nullptr) {
        const auto length = static_cast<size_t>(static_cast<const char*>(end) - &text_[at_]);
        line = {&text_[at_], length};
        at_ += length + 1;
        return true;
      }
      looked_at = text_.size() - at_;
      if (!load_more()) break;
    }
    line = std::string_view(text_).substr(at_);
    at_ = text_.size();
    return !line.empty();
  }

 private:
  bool load_more() {
    text_.erase(0, std::exchange(at_, 0));
    const size_t kept = text_.size();
    if (kept > kMaxLineBytes) return false;
    text_.resize(kept + kBlockBytes);
    const size_t got = file_->read_at(offset_, &text_[kept], kBlockBytes);
    text_.resize(kept + got);
    offset_ += got;
    return got > 0;
  }

  const File* file_;
  std::string text_;
  size_t at_ = 0;
  uint64_t offset_ = 0;
};

/// Ours have one event per line between the first line and the one that starts with "]", so that
/// lines of a file that is whole JSON are whole lists of events. False if it is none of ours.
bool append_events(const File& file, bool& is_first, ByteSink& to) {
  Lines lines(file);
  std::string_view line;
  if (!lines.next(line) || line != "{\"traceEvents\":[") return false;
  while (lines.next(line)) {
    if (line.starts_with("]")) return true;
    if (line.ends_with(',')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (!line.starts_with("{\"") || !line.ends_with('}')) return false;
    if (!is_first) write(to, ",\n");
    is_first = false;
    write(to, line);
  }
  return false;
}

/// Of the two families of formats; null: it is neither.
const char* family_of(std::string_view path) {
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".json")) return ".json";
  return path.ends_with(".pftrace") ? ".pftrace" : nullptr;
}

Result<const char*> common_family(const std::vector<std::string>& timelines,
                                  const std::string& out) {
  const char* const wanted = family_of(out);
  for (const std::string& path : timelines) {
    const char* const family = family_of(path);
    if (family != nullptr && family == wanted) continue;
    return Error{fmt::format(
        "cannot put {} into {}: timelines are merged .json with .json and .pftrace with "
        ".pftrace, each also .gz; captures become either",
        path, out)};
  }
  return wanted;
}

}  // namespace

Result<JoinReport> join_timelines(const std::vector<std::string>& timelines,
                                  const JoinOptions& options) {
  const Result<const char*> family = common_family(timelines, options.out);
  if (!family) return Error{family.error()};
  const bool as_json = std::string_view(*family) == ".json";
  Result<OutputFile> file = OutputFile::create(options.out, options.special);
  if (!file) return Error{file.error()};
  std::unique_ptr<GzipStream> compressor;
  if (options.out.ends_with(".gz")) {
    compressor = std::make_unique<GzipStream>(*file, GzipStream::sensible_threads());
  }
  ByteSink& to = compressor ? static_cast<ByteSink&>(*compressor) : *file;

  JoinReport report;
  report.answer.ranks = 0;
  bool is_first = true;
  if (as_json) write(to, "{\"traceEvents\":[\n");
  for (const std::string& path : timelines) {
    const Result<File> from = open_plain(path);
    if (!from) return Error{from.error()};
    // What is copied must be whole: after half a packet, or a broken line, nothing can be read.
    if (const Result<bool> sound = validate_timeline(*from, path); !sound) {
      return Error{
          fmt::format("cannot merge: {}; merge its capture, or leave it out", sound.error())};
    }
    if (as_json == has_packets(*from)) {
      return Error{fmt::format("{} holds another format than its name says", path)};
    }
    if (!as_json) {
      append_packets(*from, to);
    } else if (!append_events(*from, is_first, to)) {
      return Error{fmt::format("{} is no JSON timeline of perseid; merge its capture", path)};
    }
    // Packets carry their reports with them. One without is no reason to fail.
    if (const Result<ReportData> answer = report_in_timeline(path);
        answer && can_add(report.answer, *answer)) {
      add(report.answer, *answer);
    }
    ++report.timelines;
    if (options.progress) {
      options.progress(static_cast<double>(report.timelines) /
                       static_cast<double>(timelines.size()));
    }
  }
  if (as_json) {
    write(to,
          fmt::format(
              "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{{\n\"merged_timelines\":\"{}\"\n}}",
              timelines.size()));
    if (report.answer.ranks > 0) {
      write(to, fmt::format(",\n\"{}\":{}", kReportMember, write_report_json(report.answer)));
    }
    write(to, "}\n");
  }
  to.finish();
  report.file_bytes = file->bytes();
  const Result<std::string> name = file->commit();
  if (!name) return Error{name.error()};
  report.file = *name;
  return report;
}

}  // namespace perseid
