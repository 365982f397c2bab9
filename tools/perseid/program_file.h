// tools/perseid/program_file.h: which file a program's name means.
#pragma once

#include <string>

namespace perseid {

/// The file that execvp() runs for this name; empty if there is none.
std::string find_program_file(const std::string& program);

}  // namespace perseid
