// timeline/writers/printable.h: texts of others for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace perseid {

/// On one line, and without anything that a terminal obeys: control characters become \n, \t or
/// \x1b, those that turn the direction of writing \u202e, and so does what is no UTF-8. Everything
/// else stays readable. For names, paths and whole messages that contain them.
std::string printable(std::string_view text);

}  // namespace perseid
