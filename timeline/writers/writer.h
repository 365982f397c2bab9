// timeline/writers/writer.h: the table of output formats.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "capture/result.h"
#include "timeline/drawing/sink.h"
#include "timeline/writers/byte_sink.h"
#include "timeline/writers/output_file.h"

namespace perseid {

/// A sink that prints what it gets.
class TimelineWriter : public TraceSink {
 public:
  /// So far, before compression.
  virtual uint64_t bytes() const noexcept = 0;
  /// The report of what was written, as JSON; before finish(), once or never.
  virtual void report(std::string_view json) = 0;
};

struct WriterEntry {
  const char* suffix;  // of the file's name, with the dot; also the format's name without it
  bool is_compressed;  // the sink it gets is a GzipStream
  std::unique_ptr<TimelineWriter> (*make)(ByteSink& sink);
};

struct ChosenWriter {
  std::string path;
  const WriterEntry* entry;
  /// Whether `path` may be a device or a pipe: only where the user named it.
  OutputFile::Special special = OutputFile::Special::kWrite;
};

/// The format that a file's suffix asks for. A name without suffix gets the first one's added;
/// something like /dev/null that exists and is no regular file keeps its name if it may be written.
Result<ChosenWriter> choose_writer(const std::string& path,
                                   OutputFile::Special special = OutputFile::Special::kWrite);

/// The formats of "json+pftrace.gz", each with its own suffix in place of the path's.
Result<std::vector<ChosenWriter>> choose_writers(
    const std::string& path, std::string_view formats,
    OutputFile::Special special = OutputFile::Special::kWrite);

/// "pftrace.gz" -> its entry; null: there is none.
const WriterEntry* find_format(std::string_view name);
std::string known_formats();

}  // namespace perseid
