// capture/unmade.h: what a recorder leaves that was killed before it had described its capture.
#pragma once

#include <string>

namespace perseid {

/// A directory named *.capture with nothing in it, or with a manifest of which no byte was written:
/// nothing can have been recorded, and nothing is missing. As a path of /proc/self/fd it has no
/// name, and its content alone counts.
bool is_unmade(const std::string& capture);

}  // namespace perseid
