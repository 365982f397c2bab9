// tests/run/perfetto/trace_query.h: asks the real Perfetto trace processor about a timeline.
#pragma once

#include <string>
#include <vector>

namespace perseid::test {

using Row = std::vector<std::string>;  // null is "null"
using Rows = std::vector<Row>;

struct TraceAnswer {
  std::string error;          // "": the trace loaded and every query ran
  std::vector<Rows> results;  // one per query
};

/// Starting the trace processor takes two seconds: ask everything at once.
TraceAnswer query_trace(const std::string& file, const std::vector<std::string>& queries);

/// Rows of the `stats` table that mean that something we wrote was not taken.
inline const std::string kLossesQuery =
    "select name, value from stats where value != 0 and (severity in ('error', 'data_loss') or "
    "name in ('flow_end_without_start', 'interned_data_tokenizer_errors', "
    "'track_event_parser_errors'))";

}  // namespace perseid::test
