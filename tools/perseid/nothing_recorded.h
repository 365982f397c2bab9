// tools/perseid/nothing_recorded.h: guesses why a run left nothing behind.
#pragma once

#include <string>

namespace perseid {

/// A sentence for the user. `program` is the word that was given to run.
std::string why_nothing_recorded(const std::string& program);

/// A sentence for the user if the program's OpenMP cannot be recorded; else empty.
std::string why_no_openmp(const std::string& program);

}  // namespace perseid
