// timeline/writers/writer.h: the table of output formats.
#pragma once

#include <memory>
#include <string>

#include "capture/result.h"
#include "timeline/model/sink.h"
#include "timeline/writers/output_file.h"

namespace perseid {

struct WriterEntry {
  const char* suffix;  // of the file's name, with the dot; also the format's name without it
  std::unique_ptr<TraceSink> (*make)(OutputFile& file);
};

/// The format that a file's suffix asks for. A name without suffix gets the first one's added;
/// something like /dev/null that exists and is no regular file keeps its name.
struct ChosenWriter {
  std::string path;
  const WriterEntry* entry;
};
Result<ChosenWriter> choose_writer(const std::string& path);

}  // namespace perseid
