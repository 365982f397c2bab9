// timeline/dump/dump.h: a capture as lines of text, one for each record, in order of time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/result.h"

namespace perseid {

/// Takes one line with its newline. False: nothing more can be written, the dump ends.
using LineWriter = std::function<bool(std::string_view line)>;

struct DumpOptions {
  std::vector<uint32_t> streams = {};     // by number; none: all
  std::vector<std::string> threads = {};  // patterns for names of threads; none: all
  std::vector<uint16_t> kinds = {};       // none: all
  int64_t from_ns = 0;
  int64_t to_ns = INT64_MAX;
  uint64_t max_lines = UINT64_MAX;
};

struct DumpReport {
  uint64_t lines = 0;
  uint64_t damages = 0;  // found on the way; `perseid check` describes them
};

/// "starpu.submit,ompt": the kinds of these names, a producer's name for all of its events.
Result<std::vector<uint16_t>> parse_kinds(std::string_view text);

/// Memory does not grow with the records. An error means that there is nothing to be read at all.
Result<DumpReport> dump_records(const std::string& capture, const DumpOptions& options,
                                const LineWriter& write);

}  // namespace perseid
