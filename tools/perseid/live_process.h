// tools/perseid/live_process.h: whether somebody still writes a capture.
#pragma once

#include <string>

namespace perseid {

/// True if the session has not ended and its process is alive on this machine. A process id that
/// another program has got meanwhile is told apart.
bool is_being_recorded(const std::string& capture);

}  // namespace perseid
