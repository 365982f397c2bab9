// timeline/check/plain_file.h: a timeline's bytes, whether its file is compressed or not.
#pragma once

#include <string>

#include "capture/file.h"
#include "capture/result.h"

namespace perseid {

/// The file itself, or a temporary one without a name that holds what was in a gzip file.
Result<File> open_plain(const std::string& path);

}  // namespace perseid
