// timeline/join_timelines.cpp: copies finished timelines of ranks into one.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "timeline/join.h"
#include "timeline/writers/output_file.h"

namespace perseid {
namespace {

constexpr size_t kBlockBytes = 1 << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using InputFile = std::unique_ptr<std::FILE, CloseFile>;

Error cannot_read(const std::string& path) {
  return Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
}

void write(OutputFile& to, std::string_view text) { to.write(text.data(), text.size()); }

/// Files of packets one after the other are one file of packets.
Result<bool> append_packets(const std::string& path, OutputFile& to) {
  const InputFile file(std::fopen(path.c_str(), "rbe"));
  if (!file) return cannot_read(path);
  std::vector<char> block(kBlockBytes);
  while (const size_t got = std::fread(block.data(), 1, block.size(), file.get())) {
    to.write(block.data(), got);
  }
  if (std::ferror(file.get()) != 0) return cannot_read(path);
  return true;
}

/// Ours have one event per line between the first line and the one that starts with "]".
Result<bool> append_events(const std::string& path, bool& is_first, OutputFile& to) {
  const InputFile file(std::fopen(path.c_str(), "rbe"));
  if (!file) return cannot_read(path);
  char* line = nullptr;
  size_t room = 0;
  bool has_end = false;
  ssize_t length = getline(&line, &room, file.get());
  const bool is_ours =
      length > 0 && std::string_view(line, static_cast<size_t>(length)) == "{\"traceEvents\":[\n";
  while (is_ours && (length = getline(&line, &room, file.get())) > 0) {
    std::string_view event(line, static_cast<size_t>(length));
    if (event.starts_with("]")) {
      has_end = true;
      break;
    }
    if (event.ends_with('\n')) event.remove_suffix(1);
    if (event.ends_with(',')) event.remove_suffix(1);
    if (event.empty()) continue;
    if (!is_first) write(to, ",\n");
    is_first = false;
    write(to, event);
  }
  std::free(line);
  if (!is_ours || !has_end) {
    return Error{fmt::format("{} is no whole JSON timeline of perseid; merge its capture", path)};
  }
  return true;
}

bool is_json(const std::string& path) { return path.ends_with(".json"); }

}  // namespace

Result<JoinReport> join_timelines(const std::vector<std::string>& timelines,
                                  const JoinOptions& options) {
  const bool as_json = is_json(options.out);
  for (const std::string& path : timelines) {
    if (is_json(path) == as_json && (as_json || path.ends_with(".pftrace"))) continue;
    return Error{fmt::format(
        "cannot put {} into {}: timelines are merged .json with .json and .pftrace with "
        ".pftrace; captures become either",
        path, options.out)};
  }
  Result<OutputFile> file = OutputFile::create(options.out);
  if (!file) return Error{file.error()};
  JoinReport report;
  bool is_first = true;
  if (as_json) write(*file, "{\"traceEvents\":[\n");
  for (const std::string& path : timelines) {
    const Result<bool> appended =
        as_json ? append_events(path, is_first, *file) : append_packets(path, *file);
    if (!appended) return Error{appended.error()};
    ++report.captures;
    if (options.progress) {
      options.progress(static_cast<double>(report.captures) /
                       static_cast<double>(timelines.size()));
    }
  }
  if (as_json) {
    write(*file, fmt::format("\n],\"otherData\":{{\n\"merged_timelines\":\"{}\"\n}}}}\n",
                             timelines.size()));
  }
  report.file_bytes = file->bytes();
  const Result<std::string> name = file->commit();
  if (!name) return Error{name.error()};
  report.file = *name;
  return report;
}

}  // namespace perseid
