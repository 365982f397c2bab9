// timeline/export/viewer_limit.h: timelines that are good and that nobody can look at.
#pragma once

#include <cstdint>
#include <string>

#include "timeline/export/export.h"

namespace perseid {

/// More than ui.perfetto.dev can be expected to open, by the format of the name.
bool is_too_large_to_view(const std::string& file, uint64_t bytes);

/// A sentence with what helps if none of the files can be opened; else empty. `capture`, quoted for
/// a shell, is what smaller ones are made from; empty: it is gone.
std::string too_large_notice(const ExportReport& report, const std::string& capture);

}  // namespace perseid
