// timeline/export/timeline_name.h: what a timeline is called if nobody names it.
#pragma once

#include <string>

#include "capture/manifest.h"

namespace perseid {

/// A plain file name: that of the run's `out`, or the capture's own. The manifest may be anybody's
/// and must not decide where we write: its directories do not count.
std::string timeline_name(const Manifest& manifest, const std::string& capture);

/// The directory in which the capture lies, with a slash at its end, or "".
std::string directory_of(const std::string& capture);

}  // namespace perseid
