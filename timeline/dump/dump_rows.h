// timeline/dump/dump_rows.h: the model's rows as lines of text.
#pragma once

#include <string>

#include "capture/result.h"
#include "timeline/dump/dump.h"

namespace perseid {

/// What the decoders make of a capture, one line for each row. No verb offers it yet: the model has
/// no rows to print.
Result<DumpReport> dump_rows(const std::string& capture, const LineWriter& write);

}  // namespace perseid
