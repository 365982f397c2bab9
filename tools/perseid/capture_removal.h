// tools/perseid/capture_removal.h: deletes a capture, and nothing else.
#pragma once

#include <string>

#include "capture/result.h"

namespace perseid {

/// Removes exactly the files that capture/format.h names, the rings, and the directories if that
/// leaves them empty. Foreign files are never touched. An error names what stayed.
Result<bool> remove_capture(const std::string& capture);

}  // namespace perseid
