// tools/perseid/library.h: which libperseid.so goes into the program.
#pragma once

#include <string>

#include "capture/result.h"

namespace perseid {

/// $PERSEID_LIBRARY, or the one next to this executable, or the one it was installed with.
/// The path is absolute and fit for LD_PRELOAD.
Result<std::string> find_library();

}  // namespace perseid
