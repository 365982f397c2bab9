// timeline/symbols/code_place.h: what is known of an address in a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perseid {

struct CodePlace {
  std::string function;     // "": not known
  std::string file;         // without directories; "": not known
  int line = 0;             // 0: not known
  std::string module;       // file name of the program or library; "": not known
  uint64_t offset = 0;      // in the module
  bool is_runtime = false;  // inside the OpenMP runtime: it names no construct of the program

  /// "function (file.cpp:42)", "function (module+0x123)" or "module+0x123"; "" if nothing is known.
  std::string text() const;
};

/// A symbol as a reader wants to see it: demangled, without parameters, return type and the
/// suffixes that compilers give to the parts of OpenMP constructs.
///   _ZL3fibi, fib._omp_fn.2, main.omp_outlined_debug__.1  ->  fib, fib, main
/// Empty if only the suffix is left.
std::string shown_function(std::string_view symbol);

}  // namespace perseid
