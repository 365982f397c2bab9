// timeline/export/viewer_limit.cpp: compares the size of a timeline with what viewers can open.
#include "timeline/export/viewer_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace perseid {
namespace {

struct FormatLimit {
  std::string_view suffix;
  uint64_t bytes;
};

/// The page has 4 GiB of memory at most, and less in practice. A slice with three arguments takes
/// it about 530 bytes from JSON and 340 from protobuf, for 218 and 67 bytes of the file; gzip makes
/// an eighth and a third of those. JSON of 900 MB has been reported to fail (google/perfetto#99).
constexpr FormatLimit kLimits[] = {
    {".json.gz", 128ull << 20},
    {".pftrace.gz", 192ull << 20},
    {".pftrace", 640ull << 20},
    {"", 1ull << 30},  // .json
};

/// For tests alone, which have no room for a real one.
uint64_t test_limit() {
  const char* const text = secure_getenv("PERSEID_TEST_VIEWER_BYTES");
  uint64_t bytes = 0;
  if (text) std::from_chars(text, text + std::strlen(text), bytes);
  return bytes;
}

bool is_protobuf(std::string_view file) { return file.find(".pftrace") != std::string_view::npos; }

std::string as_pftrace(const std::string& file) {
  const size_t name = file.find_last_of('/') + 1;
  return file.substr(0, std::min(file.find(".json", name), file.size())) + ".pftrace";
}

}  // namespace

bool is_too_large_to_view(const std::string& file, uint64_t bytes) {
  if (const uint64_t limit = test_limit()) return bytes > limit;
  const auto format = std::ranges::find_if(
      kLimits, [&](const FormatLimit& limit) { return file.ends_with(limit.suffix); });
  return bytes > format->bytes;
}

std::string too_large_notice(const ExportReport& report, const std::string& capture) {
  bool has_protobuf = is_protobuf(report.file);
  if (!is_too_large_to_view(report.file, report.file_bytes)) return {};
  for (const WrittenFile& file : report.more_files) {
    if (!is_too_large_to_view(file.name, file.bytes)) return {};
    has_protobuf = has_protobuf || is_protobuf(file.name);
  }
  std::string line =
      fmt::format("{} is likely too large for ui.perfetto.dev ({:.1f} GiB)", report.file,
                  static_cast<double>(report.file_bytes) / (1ull << 30));
  if (capture.empty()) {
    return line + (has_protobuf ? "; max_bytes=500M cuts it"
                                : "; a .pftrace has a quarter of the size, max_bytes=500M cuts it");
  }
  if (has_protobuf) {
    return line +
           fmt::format("; `perseid export --from TIME --to TIME {}` writes a part of it", capture);
  }
  return line + fmt::format(
                    "; `perseid export -o {} {}` writes a quarter of that, --from TIME --to TIME a "
                    "part",
                    as_pftrace(report.file), capture);
}

}  // namespace perseid
